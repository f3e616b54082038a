"""How labels and headers name totals, averages and parts, in German, English and Polish."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from parsers.fold import fold

TotalKind = Literal["total", "subtotal"]
Form = Literal["exact", "start", "end"]
Statistic = Literal["mean", "median", "extreme", "spread", "deviation", "share"]

_TOTAL = frozenset((
    "summe", "summen", "gesamt", "gesamtsumme", "insgesamt", "total", "totals", "razem", "suma", "ogolem", "lacznie", "endsumme",
    "gesamtergebnis",
))  # fmt: skip
_ONLY_ALONE = frozenset(("zusammen", "ges", "sum", "overall", "summa", "lacznie"))
"""Words that name a total only where nothing else stands beside them: "Ges.", but not "Ges. für Technik"."""
_SUBTOTAL = frozenset((
    "zwischensumme", "teilsumme", "subtotal", "subtotals", "sub-total", "zwischenergebnis", "podsuma", "uebertrag",
))  # fmt: skip
_END_ONLY = frozenset(("gesamt", "insgesamt", "total", "summe", "razem", "ogolem", "gesamtsumme", "zwischensumme"))
_GRAND = frozenset(("gesamt", "gesamtsumme", "insgesamt", "total", "razem", "ogolem", "lacznie", "endsumme", "gesamtergebnis"))
_FILLERS = frozenset((
    "der", "die", "das", "aller", "alle", "all", "of", "von", "und", "and", "grand", "overall", "w", "ogolem", "gesamt",
    "zusammen", "uebertrag", "in", "im",
))  # fmt: skip
_PART_OF = re.compile(r"(?:davon|darunter|thereof|of which|w tym|z tego)\b", re.IGNORECASE)
_LEGAL_FORM = re.compile(
    r"\b(?:gmbh|mbh|ag|kg|kgaa|ohg|gbr|ug|se|e\.? ?v\.?|e\.? ?k\.?|eg|s\.? ?a\.?|sp\. ?z ?o\.? ?o\.?|sp\. ?k\.?|sp\. ?j\.?|"
    r"ltd\.?|llc|inc\.?|"
    r"plc|corp\.?|co\.?|b\.? ?v\.?|n\.? ?v\.?|sarl|s\.?a\.?r\.?l\.?|energies)(?![\w])"
)
MAYBE_TOTAL = re.compile(
    r"summ|gesamt|total|razem|suma|og[oó][lł]em|[lł][aą]cznie|zwischenergebnis|zusammen|ges\b|\bsum\b|overall|[üu]e?bertrag|[Σ∑]",
    re.IGNORECASE,
)
"""A cheap first look; `total_form` decides."""
MAYBE_TOTAL_OR_PART = re.compile(f"{MAYBE_TOTAL.pattern}|σ|{_PART_OF.pattern}")
"""The same for totals and parts, in a text of small letters."""
_SIGNS = re.compile("[Σ∑]")
_TOKEN = re.compile(r"[a-z0-9-]+")

_SUM_WORD = re.compile(r"(?:gesamt[a-z]+|[a-z]+(?:summe|gesamt))\Z")
_ALL_OF = frozenset((
    "alle", "all", "saemtliche", "wszystkie", "wszystkich", "wszyscy", "caly", "cala", "gesamter", "gesamte", "gesamtes",
))  # fmt: skip
_REST = frozenset(("other", "others", "anderen", "andere", "uebrigen", "sonstigen", "weiteren", "inne", "pozostale"))
_WHOLE = frozenset((
    "konzern", "gruppe", "group", "holding", "unternehmen", "unternehmensgruppe", "firma", "betrieb", "company", "corporate",
    "consolidated", "konsolidiert", "welt", "weltweit", "world", "worldwide", "global", "bund", "bundesgebiet", "deutschland",
    "germany", "inland", "polska", "kraj", "land", "verbund", "organisation", "haus", "grupa", "alles", "everything",
))  # fmt: skip

_MEAN_SIGN = re.compile("[Øø⌀∅]|x̄")
_STATISTICS: dict[str, Statistic] = {
    **dict.fromkeys(("mittelwert", "mittel", "durchschnitt", "durchschn", "schnitt", "mean", "average", "avg", "srednia",
                     "przecietnie", "durchschnittlich", "mittelwerte", "averages"), "mean"),
    **dict.fromkeys(("median", "mediana", "zentralwert"), "median"),
    **dict.fromkeys(("minimum", "maximum", "min", "max", "hoechstwert", "tiefstwert", "groesster", "kleinster"), "extreme"),
    **dict.fromkeys(("standardabweichung", "stdabw", "stabw", "stddev", "std", "varianz"), "spread"),
    **dict.fromkeys(("abweichung", "abw", "differenz", "diff", "delta", "veraenderung", "aenderung", "change", "variance",
                     "difference", "odchylenie", "roznica", "zmiana"), "deviation"),
    **dict.fromkeys(("anteil", "anteile", "share", "udzial"), "share"),
}  # fmt: skip
_NAMES_TOO = frozenset(("min", "max", "mittel", "change", "std", "share"))
"""Statistics only where nothing but such words stand beside them: "Max Müller" and "Mittel für Bauten" are none."""
_BESIDE_STATISTICS = frozenset((
    "im", "am", "je", "pro", "per", "der", "des", "the", "of", "von", "abs", "absolut", "rel", "relativ", "in", "prozent", "plan",
    "ist", "soll", "vorjahr", "vj", "zum", "zur", "gegenueber", "vs", "wert", "value", "gesamt", "total",
))  # fmt: skip


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(_SIGNS.sub(" summe ", text)).rstrip(":").strip())


@lru_cache(maxsize=16384)
def total_form(text: str) -> Form | None:
    """How a label names a total: nothing but the word, the word first ("Summe Nord"), the word last ("Land insgesamt").
    Names of companies and longer words ("Gesamtbau GmbH", "Total Energies SE") are none."""
    tokens = _tokens(text)
    if not tokens or len(tokens) > 8 or _LEGAL_FORM.search(fold(text).rstrip(":").strip()):
        return None
    words = _TOTAL | _SUBTOTAL
    if all(token in words or token in _FILLERS or token in _ONLY_ALONE for token in tokens) and any(
        token in words or token in _ONLY_ALONE for token in tokens
    ):
        return "exact"
    if tokens[0] in words:
        return "start"
    return "end" if tokens[-1] in _END_ONLY else None


def total_kind(text: str) -> TotalKind:
    """A grand word or nothing but the word for a sum makes a total; "Summe Nord" and "Zwischensumme" are subtotals."""
    tokens = set(_tokens(text))
    if tokens & _SUBTOTAL:
        return "subtotal"
    return "total" if tokens & _GRAND or total_form(text) == "exact" else "subtotal"


def names_total(text: str) -> bool:
    """Whether a column header names a total: "Summe", "Gesamt 2024", "Total", "Σ"."""
    form = total_form(text)
    if form == "exact":
        return True
    rest = [token for token in _tokens(text) if token not in _TOTAL and token not in _FILLERS]
    return form is not None and all(token.isdigit() or token in ("jahr", "year", "rok", "ytd") for token in rest)


def names_part(text: str) -> bool:
    """ "davon Export": a part of the row above."""
    return _PART_OF.match(text.strip()) is not None


def hints_at_sum(text: str) -> bool:
    """Words that name a total if the numbers agree, and leave a doubt if they do not: "Gesamtbestand", "Bilanzsumme", "Alle
    Standorte"."""
    tokens = _tokens(text)
    if not tokens or len(tokens) > 5 or _LEGAL_FORM.search(fold(text)):
        return False
    if tokens[0] in _ALL_OF:
        return len(tokens) == 1 or tokens[1] not in _REST
    return any(_SUM_WORD.fullmatch(token) for token in (tokens[0], tokens[-1]))


def names_whole(text: str) -> bool:
    """A name for everything together, only if the numbers agree: "Konzern", "Deutschland"."""
    tokens = _tokens(text)
    return 0 < len(tokens) <= 2 and tokens[0] in _WHOLE


def statistic_of(text: str) -> tuple[Statistic, bool] | None:
    """(statistic, whether the label says nothing else) of a label that begins with one: "Mittelwert", "Ø", "Durchschnitt je
    Standort", "Abweichung in %". Longer words ("Durchschnittspreis") are none."""
    if _MEAN_SIGN.match(text.strip()):
        return "mean", len(text.strip().strip(":.")) <= 2
    tokens = _tokens(text)
    first = next((token for token in tokens if token not in ("im", "am", "the")), None)
    if first is None or first not in _STATISTICS or len(tokens) > 6:
        return None
    alone = all(token in _STATISTICS or token in _BESIDE_STATISTICS for token in tokens)
    return None if first in _NAMES_TOO and not alone else (_STATISTICS[first], alone)
