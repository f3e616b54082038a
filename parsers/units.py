"""Units: what stands in headers, titles, number formats and beside numbers -> one spelling ("EUR", "TEUR", "%", "Stück")."""

from __future__ import annotations

import re
from functools import lru_cache

from parsers.fold import fold

CURRENCIES = frozenset((
    "EUR", "USD", "GBP", "CHF", "PLN", "CZK", "HUF", "DKK", "SEK", "NOK", "ISK", "RON", "BGN", "HRK", "RSD", "UAH", "TRY",
    "RUB", "JPY", "CNY", "INR", "KRW", "AUD", "NZD", "CAD", "MXN", "BRL", "ARS", "CLP", "ZAR", "AED", "SAR", "ILS", "EGP",
    "SGD", "HKD", "TWD", "THB", "IDR", "MYR", "PHP", "VND", "KZT", "GEL", "MDL", "ALL", "BAM", "MKD", "DEM", "ATS", "XDR",
))  # fmt: skip
"""Active ISO 4217 codes of Europe and the large trading partners, and the marks before the euro."""

_CURRENCY_WORDS = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "us$": "USD", "us-dollar": "USD", "dollar": "USD",
    "dollars": "USD", "u.s. dollars": "USD", "us dollars": "USD", "£": "GBP", "pfund": "GBP", "zl": "PLN", "zloty": "PLN",
    "zlotych": "PLN", "zlote": "PLN", "sfr": "CHF", "sfr.": "CHF", "franken": "CHF", "kc": "CZK", "ft": "HUF", "¥": "JPY",
    "s$": "SGD", "a$": "AUD", "c$": "CAD", "hk$": "HKD",
}  # fmt: skip
_SCALES = {
    "t": "T", "k": "T", "tsd": "T", "tsd.": "T", "tausend": "T", "thousand": "T", "thousands": "T", "tys": "T", "tys.": "T",
    "1000": "T", "1.000": "T", "1,000": "T", "1 000": "T", "000": "T", "'000": "T", "mio": "M", "mio.": "M", "mill": "M",
    "mill.": "M", "million": "M", "millions": "M", "millionen": "M", "mln": "M", "mn": "M", "m": "M", "mil": "M", "mrd": "G",
    "mrd.": "G", "milliarde": "G", "milliarden": "G", "bn": "G", "billion": "G", "billions": "G", "mld": "G",
}  # fmt: skip
_GLUED_SCALES = {
    "t": "T",
    "k": "T",
    "m": "M",
    "mio": "M",
    "mio.": "M",
    "mrd": "G",
    "mrd.": "G",
    "mln": "M",
    "bn": "G",
    "tsd.": "T",
    "tsd": "T",
}
_SCALE_NAMES = {"T": "T", "M": "Mio. ", "G": "Mrd. "}
_BARE_SCALE_NAMES = {"T": "Tsd.", "M": "Mio.", "G": "Mrd."}
_OTHER = {
    "%": "%", "prozent": "%", "percent": "%", "per cent": "%", "pct": "%", "v.h.": "%", "vh": "%", "procent": "%",
    "proc.": "%", "‰": "‰", "promille": "‰", "tage": "Tage", "tag": "Tage", "tagen": "Tage", "days": "Tage", "dni": "Tage",
    "stueck": "Stück", "stk": "Stück", "stk.": "Stück", "st.": "Stück", "szt": "Stück", "szt.": "Stück", "sztuk": "Stück",
    "pcs": "Stück", "pcs.": "Stück", "pieces": "Stück", "units": "Stück", "m²": "m²", "m2": "m²", "qm": "m²", "km²": "km²",
    "km2": "km²", "qkm": "km²", "m³": "m³", "m3": "m³", "cbm": "m³", "ha": "ha", "acres": "acres", "kg": "kg", "g": "g",
    "tonnen": "t", "tonnes": "t", "tons": "t", "kilotonnes": "kilotonnes", "liter": "l", "litre": "l", "hl": "hl",
    "km": "km", "cm": "cm", "mm": "mm", "kwh": "kWh", "mwh": "MWh", "gwh": "GWh", "kw": "kW", "mw": "MW", "stunden": "h",
    "std.": "h", "std": "h", "hours": "h", "godz.": "h", "wochen": "Wochen", "monate": "Monate", "jahre": "Jahre",
    "years": "Jahre", "personen": "Personen", "persons": "Personen", "fte": "FTE", "vzae": "VZÄ", "vzk": "VZK",
    "etaty": "FTE", "koepfe": "Köpfe", "ew": "EW", "einwohner": "EW", "kcal": "kcal", "grams": "g", "bps": "bps",
    "basispunkte": "bps", "prozentpunkte": "%-Pkt.", "%-punkte": "%-Pkt.", "%-pkt.": "%-Pkt.", "pp": "%-Pkt.",
}  # fmt: skip
_LETTERS_WITH_MEANING = {"t": "t", "l": "l", "h": "h", "m": "m", "d": "Tage"}
"""One letter is a unit only in brackets."""

_BRACKETS = re.compile(r"\s*[\[(]\s*(?:in\s+|w\s+)?(?P<unit>[^\[\]()]{1,28})\s*[\])]\s*\Z", re.IGNORECASE)
_IN_UNIT = re.compile(r"(?:^|[\s,])(?:in|w)\s+(?P<unit>[^\s,;:()\[\]]+(?:\s+[^\s,;:()\[\]]+)?)\s*\Z", re.IGNORECASE)
_LAST_WORD = re.compile(
    r"[\s,]+(?P<unit>%|‰|€|T€|k€|[A-Z]{3}|T[A-Z]{3}|[kM]€|zł|(?:Tsd\.?|Mio\.?|Mrd\.?|tys\.?|mln)\s+(?:€|[A-Z]{3}|zł))\s*\Z"
)
_SUFFIX = re.compile(r"_(?P<unit>t?(?:eur|usd|pln|chf|gbp|czk)|pct|prozent|percent)\Z", re.IGNORECASE)
_TITLE_WORDS = re.compile(
    r"(?:\b(?:in|w)\s+|[\[(]\s*(?:in\s+|w\s+)?)(?=(?P<unit>(?:[\w.,'€$£%²³/]+\s+){0,3}[\w.'€$£%²³/]+))",
    re.IGNORECASE | re.UNICODE,
)
_FORMAT_CURRENCY = re.compile(r"\[\$([^\-\]]*)(?:-[0-9A-Fa-f]+)?\]")
_FORMAT_QUOTED = re.compile(r'"([^"]*)"|\\(.)')


@lru_cache(maxsize=8192)
def parse_unit(text: str) -> str | None:
    """The canonical unit of a text that is nothing but a unit: "€" -> "EUR", "Tsd. €" -> "TEUR", "Mio. EUR" -> "Mio. EUR",
    "Prozent" -> "%", "m2" -> "m²", "EUR/Stück" -> "EUR/Stück". None if it is no known unit."""
    bare = text.strip().strip("[]()").strip()
    if not bare or len(bare) > 40:
        return None
    folded = fold(bare)
    if folded in _OTHER:
        return _OTHER[folded]
    if (currency := _currency(bare)) is not None:
        return currency
    words = folded.split()
    if len(words) == 1 and (glued := _glued(folded)) is not None:
        return glued
    if len(words) >= 2 and "/" not in folded:
        return _scaled(words)
    over = re.fullmatch(r"(.+?)\s*(?:/|\s(?:je|pro|per|na)\s)\s*(.+)", bare)
    if over is not None and (above := parse_unit(over[1])) is not None:
        below = parse_unit(over[2]) or over[2].strip()
        return f"{above}/{below}" if re.fullmatch(r"[^\d\W][\w².]{0,14}|m²|km²", below) else None
    return None


def currency_code(text: str) -> str | None:
    """ "€", "EUR", "zł" -> ISO code; None for anything that is not a bare currency."""
    return _currency(text.strip())


def is_money(unit: str | None) -> bool:
    """True for a currency, alone or in thousands, millions or billions."""
    if unit is None:
        return False
    return unit in CURRENCIES or (unit[-3:] in CURRENCIES and unit[:-3] in ("T", "Mio. ", "Mrd. "))


def is_scale(unit: str | None) -> bool:
    """True for a scale that does not say what it scales: "Tsd.", "Mio.", "Mrd."."""
    return unit in _BARE_SCALE_NAMES.values()


def scaled_currency(scale: str, currency: str) -> str:
    """ "Tsd.", "USD" -> "TUSD"; "Mio.", "EUR" -> "Mio. EUR". Raises KeyError for no bare scale."""
    letter = {name: letter for letter, name in _BARE_SCALE_NAMES.items()}[scale]
    return _SCALE_NAMES[letter] + currency


def split_unit(header: str) -> tuple[str, str | None]:
    """(name without the unit, unit) of one header text: "Nettoumsatz [PLN]", "Umsatz (TEUR)", "Lagerreichweite in Tagen",
    "Marge %", "NETWR_EUR" (the name stays). Square brackets may hold any short unit, the rest only known ones."""
    text = header.strip()
    bracket = _BRACKETS.search(text)
    if bracket is not None and bracket.start() > 0:
        inside = bracket["unit"].strip()
        unit = parse_unit(inside) or _LETTERS_WITH_MEANING.get(inside)
        if unit is None and bracket[0].strip().startswith("[") and len(inside) <= 14 and not any(c.isdigit() for c in inside):
            unit = inside
        if unit is not None:
            return text[: bracket.start()].strip(), unit
    for pattern in (_IN_UNIT, _LAST_WORD):
        match = pattern.search(text)
        if match is not None and match.start() > 0 and (unit := parse_unit(match["unit"])) is not None:
            return text[: match.start()].strip(" ,"), unit
    suffix = _SUFFIX.search(text)
    if suffix is not None:
        return text, "%" if suffix["unit"].lower() in ("pct", "prozent", "percent") else suffix["unit"].upper()
    return text, None


def is_unit_cell(text: str) -> bool:
    """Whether a header cell holds only a unit, also as "in EUR" or "(in thousands)"."""
    bare = re.sub(r"^(?:in|w)\s+", "", text.strip().strip("[]()").strip(), flags=re.IGNORECASE)
    return parse_unit(bare) is not None or bare in _LETTERS_WITH_MEANING or _bare_scale(bare) is not None


def unit_of_cell(text: str) -> str | None:
    """The unit that a cell with only a unit in it names."""
    bare = re.sub(r"^(?:in|w)\s+", "", text.strip().strip("[]()").strip(), flags=re.IGNORECASE)
    return parse_unit(bare) or _bare_scale(bare) or _LETTERS_WITH_MEANING.get(bare)


def unit_of_title(text: str) -> str | None:
    """The unit a title, caption or as-of line declares ("Angaben in Mio. €", "Plan/Ist in TEUR", "Amounts in USD thousands");
    None if there is none or several."""
    found: list[str] = []
    for match in _TITLE_WORDS.finditer(text):
        words = match["unit"].strip().split()
        for count in range(min(4, len(words)), 0, -1):
            phrase = " ".join(words[:count]).rstrip(".,;:") if count < len(words) or words[-1][-1:] in ",;:" else " ".join(words)
            unit = parse_unit(phrase) or parse_unit(" ".join(words[:count]))
            if unit is None and fold(phrase) in ("thousands", "millions", "billions", "tausend", "millionen"):
                unit = _BARE_SCALE_NAMES[_SCALES[fold(phrase)]]
            if unit is not None:
                found.append(unit)
                break
    kinds = set(found)
    return found[0] if len(kinds) == 1 else None


@lru_cache(maxsize=2048)
def shows_percent(code: str) -> bool:
    """Whether a number format multiplies by a hundred: a percent sign that is no quoted text."""
    return "%" in _FORMAT_CURRENCY.sub("", _FORMAT_QUOTED.sub("", code.partition(";")[0]))


@lru_cache(maxsize=2048)
def unit_of_format(code: str) -> str | None:
    """The unit a number format shows: "%" for percent, a currency sign or quoted unit; a scaled display ("0,, "Mio. €"") shows
    the stored number smaller, so its unit is the unscaled one."""
    positive = code.partition(";")[0]
    bare = _FORMAT_CURRENCY.sub("", _FORMAT_QUOTED.sub("", positive))
    if shows_percent(code):
        return "%"
    literals = [part for match in _FORMAT_CURRENCY.finditer(positive) for part in [match[1]] if part]
    rest = _FORMAT_CURRENCY.sub("", positive)
    literals += ["".join(a or b for a, b in _FORMAT_QUOTED.findall(rest))]
    literals += [sign for sign in "€$£¥" if sign in bare]
    for literal in literals:
        unit = parse_unit(literal) if literal.strip() else None
        if unit is not None:
            scaled = re.search(r"[0#?],+(?![0#?])", bare) is not None
            return unit[-3:] if scaled and is_money(unit) else unit
    return None


def _bare_scale(text: str) -> str | None:
    """ "thousands", "Mio.", "'000": a scale without what it scales. A number is none."""
    scale = _SCALES.get(fold(text))
    return None if scale is None or text[:1].isdigit() else _BARE_SCALE_NAMES[scale]


def _currency(text: str) -> str | None:
    if text.upper() in CURRENCIES and (text.isupper() or (text.islower() and text in ("eur", "pln", "usd", "chf", "gbp"))):
        return text.upper()
    return _CURRENCY_WORDS.get(fold(text))


def _glued(folded: str) -> str | None:
    """ "teur", "t€", "kchf", "mio.€" -> scaled currency."""
    for length in (4, 3, 1, 2):
        scale = _GLUED_SCALES.get(folded[:length])
        rest = folded[length:]
        if scale is None or not rest:
            continue
        currency = rest.upper() if rest.upper() in CURRENCIES else _CURRENCY_WORDS.get(rest)
        if currency is not None:
            return _SCALE_NAMES[scale] + currency
    if folded.endswith(("'000", "\u2019000")) and (currency := _currency(folded[:-4].upper()) or _currency(folded[:-4])):
        return "T" + currency
    return None


def _scaled(words: list[str]) -> str | None:
    """ "tsd. eur", "million dollars", "eur thousand", "mio. stueck" -> scaled unit."""
    if words[0] == "1" and words[1:2] == ["000"]:
        words = ["1000", *words[2:]]
    words = [word for word in words if word not in ("of", "von")]
    for scale_word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        scale = _SCALES.get(scale_word)
        if scale is None or not rest or len(scale_word) == 1:
            continue
        base = " ".join(rest)
        currency = base.upper() if base.upper() in CURRENCIES else _CURRENCY_WORDS.get(base)
        if currency is not None:
            return _SCALE_NAMES[scale] + currency
        if base in _OTHER and _OTHER[base] not in ("%", "‰"):
            return f"{_BARE_SCALE_NAMES[scale]} {_OTHER[base]}"
    return None
