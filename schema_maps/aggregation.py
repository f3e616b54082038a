"""How a number column may be added up, told from its unit and name (German, English, Polish).

The three classes and why names fall into them:

- `none`: a sum has no meaning. Percentages and other ratios, prices, rates, averages, extremes, indices, ranks, ages, spans of
  days (terms, ranges of coverage: 12 days plus 14 days of stock are not 26 days of anything), coordinates, temperatures, years,
  and everything that only looks like a number: account, cost-centre, document and postal numbers, dunning levels, ids, codes.
  Absence and work days (Fehltage, Urlaubstage, man-days) are counted, so they are quantities and add up.
- `stock`: a level at a moment. It adds up over branches and cost centres but never over periods: inventory, order backlog,
  balances, cash, assets and debts, heads, posts, population, floor space, installed capacity; also a number of things that
  persist (customers, branches, members, vehicles), and what is added up from the start of a year (kumuliert, YTD). The change of
  a stock (Bestandsveränderung) is a flow.
- `sum`: everything else: amounts of money, quantities, counts of events (orders, receipts, visits), hours. Open items add up
  over rows: each row is another item, as of one date.

Order of the rules: first what the unit says for certain, then counts, ratios, identifiers, stocks. A margin or discount without
unit may be money or a rate; it is `none`, because a refused sum costs less than a wrong one. German words are judged by their
last part (Kontostand is a Stand, Kostenstelle no Kosten), English phrases with "of" and Polish phrases by their first word too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from parsers.fold import fold
from parsers.units import is_money, split_unit
from schema_maps.schema_map import Aggregation
from schema_maps.segment import segment
from schema_maps.units import unit_kind
from schema_maps.word_lists import word_list

_STRICTNESS: dict[Aggregation, int] = {"sum": 0, "stock": 1, "none": 2}

# No "Satz" in the sense of a rate.
_SALES_WORDS = ("umsatz", "absatz", "einsatz", "zusatz", "umsaetze", "absaetze", "einsaetze")

# Endings of a word that make the column a ratio, price, average, extreme or another number that does not add up.
_RATIO_ENDINGS = word_list("ratio_endings")
_AVERAGE_WORDS = word_list("average_words")
_SPAN_ENDINGS = word_list("span_endings")
_COUNTED_DAYS = re.compile(
    r"(?:urlaubs?|fehl|krank(?:heits|en)?|arbeits|mann|personen|abwesenheits|schulungs|ausfall|betriebs|miet|verpflegungs|"
    r"absence|sick|working|man|person|leave|vacation)[\s-]?(?:tage|days?)\b"
)
_IDENTIFIER_ENDINGS = word_list("identifier_endings")
_YEAR_ENDINGS = word_list("year_endings")
_WHOLE_IDENTIFIERS = word_list("identifier_words")
_YEAR_FELLOWS = word_list("year_fellows")
_STOCK_ENDINGS = word_list("stock_endings")
_PERSISTING = word_list("persisting")
_FLOW_ENDINGS = word_list("flow_endings")
_PERIOD_WORDS = word_list("period_words")
_PER = re.compile(r"\b(je|pro|per|na)\s+(\w+)")
_HEAD_FIRST = re.compile(
    r"\s(?:of|der|des|von|de|in|at|am|im|zum|an|fuer|for|nach|by|incl|inkl|excl|exkl|ohne|vor|mit|ab|bis|je|pro|per|na)\s"
)
# Margins, discounts and shares are money where the unit says so; prices and rates never add up.
_MONEY_MARGINS = word_list("money_margins")
_RATIO_IN_NAME = re.compile(r"%|‰|/\s?(?:stueck|stk|h|m2|kg|km|st)\b")
_PERIOD_NAMES = frozenset(
    {"monat", "month", "miesiac", "woche", "week", "kw", "tydzien", "quartal", "quarter", "kwartal", "tag", "day", "dzien"}
)
_CUMULATED = re.compile(r"\bkum\b|kumul|\bytd\b|aufgelaufen|\bcumul|\brunning (?:total|sum)|narastaj")
_RETURN_ON = re.compile(r"\breturn on\b")
# What a sheet or caption calls the report about a measure: "Bestandsentwicklung", "Mitarbeiterübersicht".
_REPORT_WORDS = re.compile(r"(?<=\w{3})(?:entwicklung|uebersicht|verlauf|liste|plan|planung|statistik|analyse|report|bericht)\b")
_TEMPERATURES = ("°c", "°f", "grad")
_COUNT_FIRST = ("anzahl", "liczba", "ilosc", "count", "num", "anz", "cnt", "zahl")
_COUNT_LAST = ("count", "anzahl", "cnt", "menge", "qty", "quantity")
_NO_COUNTS = (
    "postleitzahl",
    "kennzahl",
    "kundenzahl",
    "mitgliederzahl",
    "einwohnerzahl",
    "mitarbeiterzahl",
    "jahreszahl",
    "drehzahl",
)
_WHOLE_SPANS = frozenset({"alter", "age", "ziel", "tage", "days", "dni"})
_WHOLE_STOCKS = frozenset({"stan", "area", "cash", "debt", "fte", "lager", "stock", "posts", "positions"})


def aggregation_of(name: str, unit: str | None = None) -> Aggregation:
    """Class of one number column by its business name (or header) and unit."""
    return _aggregation(name, unit)


def label_aggregation(label: str) -> Aggregation:
    """Class of the numbers in a row of a cross-tab by its label, the unit in it included ("Operative Marge %")."""
    return aggregation_of(*split_unit(label))


def strictest(classes: Sequence[Aggregation]) -> Aggregation:
    """Of several names for one measure the most careful class counts; no names: sum."""
    return max(classes, key=_STRICTNESS.__getitem__, default="sum")


def measure_aggregation(names: Sequence[str], unit: str | None) -> Aggregation:
    """Class of the value column of a tidied cross-tab, by its measure names (sheet name, caption words). "Umsatz je Monat" there
    names the layout, not a ratio."""
    bare = [_PER.sub(" ", fold(name)) for name in names]
    bare += [end for name in bare if _REPORT_WORDS.search(name) for end in _without_report_word(name)]
    return strictest([aggregation_of(name, unit) for name in bare] or [aggregation_of("", unit)])


def _without_report_word(name: str) -> tuple[str, str]:
    """ "preisliste" -> "preis"; with a linking s also without it ("bestandsentwicklung" -> "bestands", "bestand")."""
    bare = _REPORT_WORDS.sub("", name)
    return bare, re.sub(r"s\b", "", bare)


def is_identifier(name: str) -> bool:
    """Whether a column of this name holds keys: numbers or codes that name something ("Kostenstelle", "Kundennr", "order_id")."""
    words = _words(name)
    return bool(words) and not _is_count(words) and _identifies(_head_words(name, words))


@lru_cache(maxsize=8192)
def _aggregation(name: str, unit: str | None) -> Aggregation:
    kind = unit_kind(unit)
    folded = fold(re.sub(r"[ØøǾ∅]\s?", "durchschnittlich ", name))
    if kind in ("percent", "ratio") or _RATIO_IN_NAME.search(folded) or fold(unit or "") in _TEMPERATURES:
        return "none"
    words = _words(folded)
    head = _head_words(folded, words)
    if any(word in _AVERAGE_WORDS for word in words) or _RETURN_ON.search(folded) or name.strip() in ("#", "№"):
        return "none"
    if (per := _PER.search(folded)) is not None:
        return "stock" if per[2] in _PERIOD_WORDS else "none"
    if _CUMULATED.search(folded):
        return "stock"
    if _is_count(words):
        return "stock" if any(_ends(word, _PERSISTING) for word in words) else "sum"
    if _COUNTED_DAYS.search(folded):
        return "sum"
    if any(_ends(word, _RATIO_ENDINGS) and not word.endswith(_SALES_WORDS) for word in head) and not (
        kind == "money" and any(_ends(word, _MONEY_MARGINS) for word in head)
    ):
        return "none"
    if kind == "days" or any(_ends(word, _SPAN_ENDINGS, whole=_WHOLE_SPANS) for word in head):
        return "none"
    if kind != "money" and _identifies(head):
        return "none"
    if any(_ends(word, _FLOW_ENDINGS) for word in head):
        return "sum"
    if any(_ends(word, _STOCK_ENDINGS, whole=_WHOLE_STOCKS) for word in head):
        return "stock"
    return "sum"


def _words(name: str) -> tuple[str, ...]:
    """Folded words without numbers and, behind the first one, without currencies and percent marks ("ek_preis_eur")."""
    words = [word for word in segment(name) if not word.isdigit()]
    return tuple(
        word for place, word in enumerate(words) if place == 0 or not (is_money(word.upper()) or word in ("pct", "proz"))
    )


def _head_words(name: str, words: Sequence[str]) -> tuple[str, ...]:
    """The words that say what the number is: the last word, and the last and first one in front of "of", "der", "je" ..."""
    folded = fold(name)
    before = _words(_HEAD_FIRST.split(f" {folded} ", maxsplit=1)[0])
    if not words:
        return ()
    if before and before != tuple(words):
        return tuple(dict.fromkeys((before[0], before[-1])))
    return tuple(dict.fromkeys((words[-1], words[0])))


def _is_count(words: Sequence[str]) -> bool:
    if not words:
        return False
    first, last = words[0], words[-1]
    if (first == "number" and len(words) > 1) or first in _COUNT_FIRST or last in _COUNT_LAST:
        return True
    return last.endswith(("anzahl", "menge", "zahl")) and not last.endswith(_NO_COUNTS)


def _identifies(head: Sequence[str]) -> bool:
    if not head:
        return False
    last = head[0]
    if head[-1] in ("kod", "numer", "nr", "id", "code"):  # "kod klienta"
        return True
    if _ends(last, _PERIOD_NAMES):  # "Monat", but not "Umsatz Monat"
        return all(_ends(word, _PERIOD_NAMES) for word in head)
    if _ends(last, _IDENTIFIER_ENDINGS, whole=_WHOLE_IDENTIFIERS) or (last.endswith("nr") and len(last) > 3):
        return True
    is_year = _ends(last, _YEAR_ENDINGS) and last not in ("vorjahr", "halbjahr", "vorjahre")
    return is_year and (len(head) == 1 or head[1] in _YEAR_FELLOWS)


def _ends(word: str, endings: frozenset[str], whole: frozenset[str] = frozenset()) -> bool:
    """Word equals an ending, or ends with it as a compound; endings in `whole` and those under four letters only as a word."""
    return any(word == ending or (len(ending) > 3 and ending not in whole and word.endswith(ending)) for ending in endings)
