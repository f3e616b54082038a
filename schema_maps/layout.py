"""Which map describes a sheet: its own, or that of an earlier file with the same layout; and how far the headers have drifted.

Meanings and access levels are carried over by different rules. A meaning needs the same header. A level also guards what may
be the guarded column under another name: deny by default, until a person has looked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rapidfuzz import fuzz

from parsers.fold import fold
from parsers.table import Table
from schema_maps.schema_map import ColumnMeaning, SheetMap
from schema_maps.technical import is_technical
from schema_maps.word_lists import word_list

Levels = Mapping[str, Mapping[str, tuple[str, ...]]]

# Share of equal headers from which a file with the same name stem and sheet name counts as the next one of the same report.
SAME_REPORT_SHARE = 0.6
# From so many equal headers on, or with a code among them, a layout is taken for the same report whatever the file is called.
TELLING_HEADERS = 5
# Similarity (0-100, rapidfuzz ratio of the folded texts) from which two headers are near each other.
NEAR = 82.0
_DIGITS = re.compile(r"\d+")
_UNIT_TAIL = re.compile(r"[\[(][^\])]*[\])]\s*\Z")
_DEFAULT_SHEETS = frozenset(
    {"tabelle", "sheet", "arkusz", "blatt", "table", "export", "data", "daten", "dane", "report", "bericht"}
)


@dataclass(frozen=True)
class Drift:
    """`new`: headers that the map does not know; `gone`: mapped headers that the sheet no longer has; `near`: (gone, new) pairs
    that look like one column renamed; `shifted`: (old, new) pairs that differ in numbers only ("Jan 24" -> "Jan 25")."""

    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    near: tuple[tuple[str, str], ...] = ()
    shifted: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.gone)


@dataclass(frozen=True)
class SheetReading:
    """A map as it applies to the headers of one sheet of one version.

    `meanings`: header -> approved meaning. `guards`: header -> sets of levels, of each of which the asker needs one (levels of
    the column itself whatever its status, or of columns that it may be). `row_levels` as in SheetMap.levels. `source`: the map
    that it rests on, None where there is none.
    """

    meanings: Mapping[str, ColumnMeaning] = field(default_factory=dict)
    guards: Mapping[str, tuple[Levels, ...]] = field(default_factory=dict)
    row_levels: Levels = field(default_factory=dict)
    drift: Drift = Drift()
    source: SheetMap | None = None


def printed_headers(tables: Iterable[Table]) -> tuple[str, ...]:
    """The headers of a sheet's tables as the file prints them: what a tidied cross-tab adds (Zeitraum, Wert) does not count."""
    return tuple(dict.fromkeys(column.header for table in tables if table.layout != "tidy" for column in table.columns))


def header_key(header: str) -> str:
    """Comparison form of a header: folded, line breaks as blanks."""
    return fold(header)


def read_sheet(sheet_map: SheetMap | None, headers: Sequence[str]) -> SheetReading:
    """Applies a map to the headers that a sheet has. Without a map nothing is known and nothing guarded."""
    if sheet_map is None:
        return SheetReading()
    by_key = {header_key(column.header): column for column in sheet_map.columns}
    known = {header_key(header) for header in _known_headers(sheet_map)}
    drift = find_drift(sheet_map, headers)
    shifted = {new: by_key[header_key(old)] for old, new in drift.shifted if header_key(old) in by_key}
    missing = [by_key[header_key(header)] for header in drift.gone if header_key(header) in by_key]
    meanings: dict[str, ColumnMeaning] = {}
    guards: dict[str, tuple[Levels, ...]] = {}
    strangers = _stranger_guards(sheet_map, missing)
    for header in headers:
        column = by_key.get(header_key(header)) or shifted.get(header)
        if column is not None and column.levels:
            guards[header] = (column.levels,)
        if column is not None and column.status == "approved":
            moved = _shift_meaning(column, header)
            if moved is not None:
                meanings[header] = moved
        if header_key(header) not in known and header not in shifted and strangers:
            guards[header] = (*guards.get(header, ()), *strangers)
    return SheetReading(meanings, guards, sheet_map.levels, drift, sheet_map)


@lru_cache(maxsize=4096)
def _shape(headers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_DIGITS.sub("#", header_key(header)) for header in headers)


def _same_shape(candidate: SheetMap, headers: Sequence[str]) -> bool:
    """Quick: without equal shapes (headers, numbers apart) there is drift."""
    return _shape(_known_headers(candidate)) == _shape(tuple(headers))


def find_drift(sheet_map: SheetMap, headers: Sequence[str]) -> Drift:
    """Headers of a sheet against those its map was made for."""
    expected = {header_key(header): header for header in _known_headers(sheet_map)}
    present = {header_key(header): header for header in headers}
    new = [header for key, header in present.items() if key not in expected]
    gone = [header for key, header in expected.items() if key not in present]
    shifted = _shifted(gone, new)
    new = [header for header in new if header not in {to for _, to in shifted}]
    gone = [header for header in gone if header not in {old for old, _ in shifted}]
    near = tuple((old, to) for old in gone for to in new if is_near(old, to))
    return Drift(tuple(new), tuple(gone), near, tuple(shifted))


def is_near(one: str, other: str) -> bool:
    """Whether two headers look like one column renamed: equal but for unit and punctuation, or similar letter by letter."""
    bare = [re.sub(r"\W+", "", fold(_UNIT_TAIL.sub("", text) or text)) for text in (one, other)]
    return bare[0] == bare[1] or fuzz.ratio(fold(one), fold(other)) >= NEAR or fuzz.ratio(*bare) >= NEAR


def near_matches(word: str, candidates: Sequence[str], limit: int = 3) -> tuple[str, ...]:
    """The candidates most like a word, best first; those that have nothing in common with it are left out."""
    scored = sorted(
        ((fuzz.WRatio(fold(word), fold(c)), c) for c in dict.fromkeys(candidates) if len(c) > 2),
        key=lambda pair: (-pair[0], pair[1]),
    )
    return tuple(candidate for score, candidate in scored[:limit] if score >= 60)


def own_map(maps: Sequence[SheetMap], document: str, sheet: str | None) -> SheetMap | None:
    """The map made for this very document and sheet."""
    for candidate in maps:
        if candidate.document == document and _sheet_equal(candidate.sheet, sheet):
            return candidate
    return None


def maps_for_document(
    maps: Sequence[SheetMap], document: str, sheets: Mapping[str | None, Sequence[str]]
) -> dict[str | None, SheetMap]:
    """The map of each sheet of a document: its own, else one inherited from another document of the same layout.

    `sheets`: sheet name -> printed headers of its tables. A document inherits by its headers: all of them the same (numbers
    apart), with the same sheet name first, then with a name that says nothing ("Tabelle1", "Sep 2024"); or, where headers
    have drifted, from the same report (file name equal but for numbers, same sheet name, most headers equal). A map serves one
    sheet of a document only, and never another sheet of its own document.
    """
    found = {sheet: own for sheet in sheets if (own := own_map(maps, document, sheet)) is not None}
    others = [candidate for candidate in maps if candidate.document != document and (candidate.columns or candidate.levels)]
    for rule in (_same_layout_and_name, _same_layout, _same_report):
        for sheet, headers in sheets.items():
            if sheet in found:
                continue
            taken = {id(used) for used in found.values()}
            fitting = [c for c in others if id(c) not in taken and rule(c, document, sheet, headers)]
            if fitting:
                found[sheet] = max(fitting, key=lambda c: (_last_decision(c), c.document))
    return {sheet: m if m.document == document else _inherit(m, document, sheet) for sheet, m in found.items()}


# --- rules


def _same_layout_and_name(candidate: SheetMap, document: str, sheet: str | None, headers: Sequence[str]) -> bool:
    same_name = _place_stem(candidate.document, candidate.sheet) == _place_stem(document, sheet)
    return same_name and _same_shape(candidate, headers) and not find_drift(candidate, headers)


def _same_layout(candidate: SheetMap, document: str, sheet: str | None, headers: Sequence[str]) -> bool:
    """Another sheet name: only where one of the two says nothing, or the headers are codes, which say enough by themselves."""
    if not _same_shape(candidate, headers) or find_drift(candidate, headers):
        return False
    uninformative = not _name_stem(candidate.sheet) or not _name_stem(sheet)
    return uninformative or any(is_technical(column.header) for column in candidate.columns)


def _same_report(candidate: SheetMap, document: str, sheet: str | None, headers: Sequence[str]) -> bool:
    if _name_stem(candidate.sheet) != _name_stem(sheet) or _name_stem(candidate.document) != _name_stem(document):
        return False
    drift = find_drift(candidate, headers)
    same = len({header_key(header) for header in headers}) - len(drift.new)
    return same >= SAME_REPORT_SHARE * (same + len(drift.new) + len(drift.gone))


def _inherit(source: SheetMap, document: str, sheet: str | None) -> SheetMap:
    """The map as it counts for another document. Levels always guard; how much of the meaning holds depends on the names.

    Same sheet name (or, where that says nothing, file name): all of it. Else units stay with codes only: "Jan 24" has EUR in a
    sheet of costs and none in a sheet of quantities. And where the layout is a few everyday headers ("Betrag, Kunde"), spoken
    headers keep no meaning at all. Row filters, which open a sheet to people, need the same name.
    """
    if _place_stem(source.document, source.sheet) == _place_stem(document, sheet):
        return replace(source, inherited_from=source.document)
    telling = len(source.headers) >= TELLING_HEADERS or any(is_technical(header) for header in source.headers)
    columns = tuple(c if is_technical(c.header) else _unsure(c, telling) for c in source.columns)
    return replace(source, columns=columns, levels={}, inherited_from=source.document)


def _unsure(column: ColumnMeaning, telling: bool) -> ColumnMeaning:
    status = column.status if telling else "proposed"
    return replace(column, unit=None, aggregation=None, status=status)


def _place_stem(document: str, sheet: str | None) -> str:
    return _name_stem(sheet) or _name_stem(document)


@lru_cache(maxsize=4096)
def _name_stem(name: str | None) -> str:
    """Sheet or file name without numbers, months and default words: "Sep 2024" -> "", "posten_2024-09-30.csv" -> "posten csv"."""
    words = re.split(r"[\W_\d]+", fold(name or ""))
    periods = word_list("months") | _DEFAULT_SHEETS | _MONTH_NAMES
    return " ".join(word for word in words if word and word not in periods and word not in ("q", "kw", "gj", "fy", "quartal"))


_MONTH_NAMES = word_list("month_names")


def _last_decision(sheet_map: SheetMap) -> str:
    return max((column.at.isoformat() for column in sheet_map.columns if column.at is not None), default="")


def _sheet_equal(one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and fold(one) == fold(other))


# --- shifted numbers and guards


def _known_headers(sheet_map: SheetMap) -> tuple[str, ...]:
    """What the map was made for and what people have decided on; a proposal alone does not make a header known."""
    return (*sheet_map.headers, *(column.header for column in sheet_map.columns if column.status != "proposed"))


def _shifted(gone: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs that differ in their numbers only, where that is clear: one on each side."""
    forms: dict[str, tuple[list[str], list[str]]] = {}
    for side, headers in enumerate((gone, new)):
        for header in headers:
            if _DIGITS.search(header):
                forms.setdefault(_DIGITS.sub("#", header_key(header)), ([], []))[side].append(header)
    return [(old[0], to[0]) for old, to in forms.values() if len(old) == len(to) == 1]


def _shift_meaning(column: ColumnMeaning, header: str) -> ColumnMeaning | None:
    """The meaning under a header that differs in numbers: they change in name and synonyms, too. None where a number of the name
    does not come from the header, for then it may not be true any more."""
    if header_key(column.header) == header_key(header):
        return column
    change = dict(zip(_DIGITS.findall(column.header), _DIGITS.findall(header), strict=True))
    words = (column.name, *column.synonyms)
    if any(number not in change for word in words for number in _DIGITS.findall(word)):
        return None
    name, *synonyms = (_DIGITS.sub(lambda match: change[match[0]], word) for word in words)
    return replace(column, header=header, name=name, synonyms=tuple(synonyms))


def _stranger_guards(sheet_map: SheetMap, missing: Sequence[ColumnMeaning]) -> tuple[Levels, ...]:
    """What a column that nobody has decided on is guarded by: the levels of every guarded column that is missing (it may be that
    one, renamed), and those of the sheet if all its columns were guarded."""
    guarded = [column.levels for column in missing if column.levels]
    decided = {header_key(column.header): column for column in sheet_map.columns}
    layout = {header_key(header) for header in sheet_map.headers}
    if layout and all(key in decided and decided[key].levels for key in layout):
        guarded += [column.levels for column in decided.values()]
    return tuple(levels for index, levels in enumerate(guarded) if levels not in guarded[:index])
