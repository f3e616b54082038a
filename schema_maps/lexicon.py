"""Reads a technical header: parts looked up in the lexicon and put together in German word order.

`rev_net_adj_eur` -> "Nettoumsatz nach Korrektur", unit EUR. A part that the lexicon does not know, or that means several
things here, gives no proposal, and the reading says which part it was. A reading is a proposal only: a person approves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

from schema_maps import lexicon_parts as data
from schema_maps.segment import segment

PartKind = Literal["measure", "attribute", "entity", "prefix", "adjective", "postfix", "unit", "period", "per"]
_KINDS: dict[str, PartKind] = {kind: kind for kind in get_args(PartKind)}
_NOUNS = ("measure", "attribute", "entity")
_PERIOD_LETTERS = frozenset({"q", "m", "h", "kw", "wk", "cw", "w", "fy", "gj"})
_PERIOD_WORDS = {"q": "Q{}", "m": "Monat {}", "h": "Halbjahr {}", "fy": "GJ {}", "gj": "GJ {}"}
_PER_WORDS = frozenset({"per", "je", "pro", "na"})
_ENDINGS = {"m": "er", "f": "e", "n": "es", "p": "e"}
_SCALES = {"t": "T", "k": "T", "tsd": "T", "mio": "Mio. ", "mrd": "Mrd. "}


@dataclass(frozen=True)
class Part:
    """One part of a header. `link`: its form in front of another noun; `gender` m, f, n or p (plural)."""

    code: str
    kind: PartKind
    word: str
    gender: str = ""
    link: str = ""


@dataclass(frozen=True)
class Reading:
    """`name` is None if a part is not known or not clear; `unclear` holds those parts. `reason` is German."""

    name: str | None
    unit: str | None
    reason: str
    unclear: tuple[str, ...] = ()


def is_abbreviation(word: str) -> bool:
    """Whether a folded word is a shortened or coded part ("rev", "netwr", "kdnr"), not one that people write out."""
    return word in _table().short


def read_code(header: str) -> Reading:
    """The proposal for a technical header, any case and any separators."""
    parts, unclear = _look_up(segment(header))
    if unclear:
        listed = ", ".join(f"„{code}“" for code in unclear)
        verb = "ist" if len(unclear) == 1 else "sind"
        return Reading(None, None, f"Kein Vorschlag: {listed} {verb} nicht bekannt oder nicht eindeutig.", unclear)
    units = list(dict.fromkeys(part.word for part in parts if part.kind == "unit"))
    if len(units) > 1:
        return Reading(None, None, f"Kein Vorschlag: mehrere Einheiten ({', '.join(units)}).", tuple(units))
    name = _compose([part for part in parts if part.kind != "unit"])
    if not name:
        return Reading(None, units[0] if units else None, "Kein Vorschlag: außer der Einheit steht nichts da.", ())
    reason = "; ".join(f"{part.code} = {part.word}" for part in parts)
    return Reading(name, units[0] if units else None, f"Aus den Teilen der Überschrift: {reason}.")


# --- look-up


@dataclass(frozen=True)
class _Table:
    parts: dict[tuple[str, ...], Part]
    short: frozenset[str]
    ambiguous: dict[str, tuple[tuple[Part, str], ...]]


@lru_cache(maxsize=1)
def _table() -> _Table:
    parts: dict[tuple[str, ...], Part] = {}
    short: set[str] = set()
    nouns: tuple[tuple[str, PartKind], ...] = (
        (data.MEASURES, "measure"),
        (data.ATTRIBUTES, "attribute"),
        (data.ENTITIES, "entity"),
        (data.PREFIXES, "prefix"),
        (data.ADJECTIVES, "adjective"),
        (data.POSTFIXES, "postfix"),
    )
    for lines, kind in nouns:
        for line in lines.strip().splitlines():
            keys, word, *forms = (cell.strip() for cell in line.split("|"))
            abbreviated, _, spelled = keys.partition(";")
            short.update(code for code in abbreviated.split() if "+" not in code)
            for code in (*abbreviated.split(), *spelled.split()):
                gender, link = forms if len(forms) == 2 else ("", word)
                _add(parts, tuple(code.split("+")), Part(code.replace("+", " "), kind, word, gender, link))
    for line in data.UNITS.strip().splitlines():
        keys, word = (cell.strip() for cell in line.split("|"))
        for code in keys.split():
            _add(parts, (code,), Part(code, "unit", word))
            short.add(code)
    for line in data.SAP_FIELDS.strip().splitlines():
        code, word, gender = (cell.strip() for cell in line.split("|"))
        pieces = segment(code)
        if pieces not in parts:
            _add(parts, pieces, Part(code, "attribute", word, gender, word))
        short.add(code)
    ambiguous: dict[str, tuple[tuple[Part, str], ...]] = {}
    for code, kind_name, word, gender, link, where in data.AMBIGUOUS:
        ambiguous[code] = (*ambiguous.get(code, ()), (Part(code, _KINDS[kind_name], word, gender, link or word), where))
        if code not in ("day", "days", "tage", "soll"):
            short.add(code)
    spelled_out = {"menge", "monat", "euro", "prozent", "percent", "zloty"}
    return _Table(parts, frozenset(short - spelled_out), ambiguous)


def _add(parts: dict[tuple[str, ...], Part], key: tuple[str, ...], part: Part) -> None:
    if key in parts:
        raise ValueError(f"lexicon part {key} stands twice")
    parts[key] = part


def _look_up(codes: Sequence[str]) -> tuple[list[Part], tuple[str, ...]]:
    """Longest keys first, then scales in front of currencies, then run-together codes ("kdnr" = kd + nr)."""
    table = _table()
    split: list[str] = []
    for code in codes:
        split.extend((code,) if _known(code) or (pieces := _split_run(code)) is None else pieces)
    parts: list[Part] = []
    unclear: list[str] = []
    index = 0
    while index < len(split):
        length = next((n for n in (3, 2, 1) if tuple(split[index : index + n]) in table.parts and index + n <= len(split)), 0)
        code = split[index]
        following = split[index + 1 : index + 2]
        if length:
            parts.append(table.parts[tuple(split[index : index + length])])
        elif code in _SCALES and following and _currency(following[0]):
            parts.append(Part(f"{code} {following[0]}", "unit", _SCALES[code] + following[0].upper()))
            length = 2
        elif code in table.ambiguous:
            parts.append(Part(code, "period", ""))  # settled below, when all parts are known
            length = 1
        elif (period := _period(code)) is not None:
            parts.append(period)
            length = 1
        elif code in _PER_WORDS and parts and following:
            parts.append(Part(code, "per", "je"))
            length = 1
        else:
            unclear.append(code)
            length = 1
        index += length
    settled = [_settle(parts, position) for position in range(len(parts))]
    unclear += [part.code for part, meant in zip(parts, settled, strict=True) if meant is None]
    return [part for part in settled if part is not None], tuple(dict.fromkeys(unclear))


def _settle(parts: Sequence[Part], position: int) -> Part | None:
    part = parts[position]
    choices = _table().ambiguous.get(part.code)
    if choices is None:
        return part
    nouns_before = any(other.kind in _NOUNS for other in parts[:position])
    nouns_after = any(other.kind in _NOUNS for other in parts[position + 1 :])
    following = parts[position + 1].code if position + 1 < len(parts) else ""
    for meaning, where in choices:
        fits = {
            "": True,
            "currency": any(other.kind == "unit" and other.word.isupper() for other in parts),
            "last": nouns_before and not nouns_after,
            "alone": not nouns_before and not nouns_after,
        }.get(where)
        if fits or (where.startswith("before ") and following in where.split()[1:]):
            return meaning
    return None


def _known(code: str) -> bool:
    table = _table()
    return (code,) in table.parts or code in table.ambiguous or code in _SCALES or code in _PER_WORDS or _period(code) is not None


def _split_run(code: str) -> tuple[str, ...] | None:
    """The one way to read a run-together code as two known parts of at least two letters; None if there are none or several."""
    ways = [(code[:cut], code[cut:]) for cut in range(2, len(code) - 1) if _joinable(code[:cut]) and _joinable(code[cut:])]
    if len(ways) > 1:  # "kundennr": a spelled-out part beats an abbreviation with leftovers
        longest = max(max(map(len, way)) for way in ways)
        ways = [way for way in ways if max(map(len, way)) == longest]
    return ways[0] if len(ways) == 1 else None


def _joinable(code: str) -> bool:
    return (code,) in _table().parts


def _period(code: str) -> Part | None:
    letters, digits = code.rstrip("0123456789"), code[len(code.rstrip("0123456789")) :]
    if not digits or (letters and letters not in _PERIOD_LETTERS):
        return None
    return Part(code, "period", _PERIOD_WORDS.get(letters, "KW {}" if letters else "{}").format(digits.lstrip("0") or "0"))


def _currency(code: str) -> bool:
    part = _table().parts.get((code,))
    return code == "pln" or (part is not None and part.kind == "unit" and len(part.word) == 3 and part.word.isupper())


# --- composition


def _compose(parts: Sequence[Part]) -> str:
    """[adjective][prefix][modifiers][head] [je ...] [qualifiers] [periods]."""
    pers = [index for index, part in enumerate(parts) if part.kind == "per"]
    if pers:
        after = [part for part in parts[pers[0] + 1 :] if part.kind in (*_NOUNS, "prefix", "adjective")]
        rest = [*parts[: pers[0]], *(part for part in parts[pers[0] + 1 :] if part not in after)]
        whole, per = _compose(rest), _compose(after)
        return f"{whole} je {per}" if whole and per else ""
    nouns = _noun_order([part for part in parts if part.kind in _NOUNS])
    prefixes = "".join(part.link for part in parts if part.kind == "prefix")
    tail = [part.word for part in parts if part.kind == "postfix"] + [part.word for part in parts if part.kind == "period"]
    if not nouns:
        return " ".join([prefixes, *tail]).strip()
    head = nouns[-1]
    word = _join([*(part.link for part in nouns[:-1]), head.word])
    if prefixes:
        word = _join([prefixes, word])
    adjectives = [part.word + _ENDINGS.get(head.gender, "e") for part in parts if part.kind == "adjective"]
    return " ".join([*adjectives, word, *tail])


def _noun_order(nouns: list[Part]) -> list[Part]:
    """The head goes last. German and English compounds end with it; "menge_auftrag" or "nr_kunde" begin with it: a measure or
    attribute in front of entities only is the head."""
    if len(nouns) > 1 and nouns[0].kind != "entity" and all(part.kind == "entity" for part in nouns[1:]):
        return [*nouns[1:], nouns[0]]
    return nouns


def _join(words: Sequence[str]) -> str:
    """Compound of words: first one as written, the others in lower case; acronyms keep their case behind a hyphen."""
    whole = words[0]
    for word in words[1:]:
        acronym = len(word) > 1 and word.split(" ")[0].isupper()
        if whole.endswith("-") or acronym:
            whole = whole.rstrip("-") + "-" + word
        else:
            whole += word[:1].lower() + word[1:]
    return whole


def with_unit(reading: Reading, unit: str | None) -> Reading:
    """The reading with the unit that the file itself prints."""
    return replace(reading, unit=unit) if unit else reading
