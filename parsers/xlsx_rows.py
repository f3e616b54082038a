"""Rows of a worksheet part in their usual spelling, a whole row at a time.

A row's XML without its texts and its row number is its skeleton; most rows of a sheet share one. A skeleton is understood once,
and what a row of it may hold is checked by one expression, so that no text of it can be anything but what its type says. Rows
of the last few skeletons are cut by one expression for the whole row. Every other row is for the slower passes: nothing here
reports or repairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from parsers.address import LAST_COLUMN, LAST_ROW, column_number
from parsers.cell_store import CellStore
from parsers.row_blocks import RowShape, Stored
from parsers.xlsx_cells import CellSink
from parsers.xlsx_plain import holds_no_xml
from parsers.xlsx_strings import text_of_run, unescape

# Control characters, which no XML may hold, stand for tags while a row is cut: _CUT where a text begins and ends, before it what
# opened and after it what closed it; _NUMBER for the row's number in an address.
_CUT, _VALUE_END, _FORMULA, _FORMULA_END, _TEXT, _KEPT_TEXT, _TEXT_END, _NUMBER = "\x01\x02\x03\x04\x05\x06\x07\x08"
_VALUE_CLOSED, _NUMBER_CLOSED = _VALUE_END + _CUT, _NUMBER + '"'
_MARKS = (
    ("<f>", _FORMULA + _CUT), ('<f aca="false">', _FORMULA + _CUT), ("</f>", _FORMULA_END + _CUT),
    ("<t>", _TEXT + _CUT), ('<t xml:space="preserve">', _KEPT_TEXT + _CUT), ("</t>", _TEXT_END + _CUT),
)  # fmt: skip
_TAGS = {_TEXT: ("<t>", "</t>"), _KEPT_TEXT: ('<t xml:space="preserve">', "</t>")}
_HEAD = re.compile(r'[ \t\r\n]*<row r="([1-9][0-9]{0,6})"([^<>/\x00-\x08\x0b\x0c\x0e-\x1f]*)')
_CELL = re.compile(
    rf'[ \t\r\n]*<c r="([A-Z]{{1,3}}){_NUMBER}"(?: s="([0-9]{{1,6}})")?(?: t="([a-zA-Z]+)")?'
    rf'(?:/>|></c>|>(?:({_FORMULA}{_CUT})|<f t="shared" si="([0-9]{{1,6}})"/>)?({_CUT})?</c>'
    rf"|><is>([{_TEXT}{_KEPT_TEXT}]){_CUT}</is></c>)"
)
_WORDS = r"[^\x00-\x08\x0b-\x1f<>]"
_TEXTS_BY_TYPE = {
    "n": r"-?[0-9]{1,14}(?:\.[0-9]{1,20})?(?:[eE]-[0-9]{1,3})?",
    "s": "[0-9]{1,9}",
    "str": f"{_WORDS}+",
    "b": "[01]",
    "e": "#[A-Z0-9/!?]+",
}
_DAYS = r"(?:6[1-9]|[7-9][0-9]|[1-9][0-9]{2,5})(?:\.[0-9]{1,15})?"  # serials that are days in both date systems
_MOST_SKELETONS = 4096
_MOST_PATTERNS = 256  # compiling one takes about a millisecond
_LONGEST_SKELETON = 1 << 17
_LONGEST_WHOLE = 1 << 13
_MOST_WHOLE = 64
_MOST_RECENT = 3

Unescape = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Skeleton:
    """`shape`: the cells that are filled. `texts`: what all texts of the row, each with its end mark, must match together.

    `patterns`: the same, text by text.
    `plain`: the texts are the entries as they are. Else `pieces` says for each cell (text or None, formula text or None,
    shared formula index or None) by position in the texts. `strings`, `words`, `runs`: positions among the cells of shared
    string numbers, of texts that may hold references, and of inline texts with whether their blanks are kept.
    """

    shape: RowShape
    texts: re.Pattern[str]
    patterns: tuple[str, ...]
    plain: bool
    pieces: tuple[tuple[int | None, int | None, str | None], ...]
    strings: tuple[int, ...]
    words: tuple[int, ...]
    runs: tuple[tuple[int, bool], ...]


class RowReader:
    """Takes rows of one sheet into its store as long as they are spelt in the usual way."""

    def __init__(self, cells: CellStore, sink: CellSink, unescape: Unescape) -> None:
        self._cells = cells
        self._sink = sink
        self._strings = sink.strings
        self._unescape = unescape
        self._skeletons: dict[str, _Skeleton | None] = {}
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}
        self._last = ""
        self._recent: list[tuple[re.Pattern[str], _Skeleton]] = []
        self._whole_rows: dict[str, re.Pattern[str]] = {}

    def read(self, text: str) -> tuple[int, str] | None:
        """Read the XML of one row, without its end tag, into the store; (row number, the head's further attributes).

        None, with nothing changed, if the row is not spelt in the usual way or has anything to report. Raises what `unescape`
        raises for a reference that is none.
        """
        for whole_row, skeleton in self._recent:
            found = whole_row.fullmatch(text)
            if found is not None:
                digits, attributes, *texts = found.groups()
                return self._take(skeleton, int(digits), attributes, texts)
        return self._read_in_parts(text)

    def _read_in_parts(self, text: str) -> tuple[int, str] | None:
        """The same for a row of another skeleton than the last ones."""
        if holds_no_xml(text):
            return None
        head, closed, body = text.partition(">")
        found = _HEAD.fullmatch(head)
        if found is None or not closed:
            return None
        digits, attributes = found[1], found[2]
        if "<f" in body or "<t" in body:
            for tag, mark in _MARKS:
                body = body.replace(tag, mark)
        parts = body.replace("<v>", _CUT).replace("</v>", _VALUE_CLOSED).split(_CUT)
        spelling = _CUT.join(parts[::2]).replace(digits + '"', _NUMBER_CLOSED)
        try:
            skeleton = self._skeletons[spelling]
        except KeyError:
            skeleton = self._understand(spelling)
        if skeleton is None:
            return None
        texts = "".join(parts[1::2])
        if skeleton.texts.fullmatch(texts) is None:
            return None
        if spelling == self._last and skeleton.plain:
            self._expect(spelling, skeleton)
        self._last = spelling
        cut = texts.replace(_FORMULA_END, _VALUE_END).replace(_TEXT_END, _VALUE_END).split(_VALUE_END)[:-1]
        return self._take(skeleton, int(digits), attributes, cut)

    def _expect(self, spelling: str, skeleton: _Skeleton) -> None:
        """Two rows of one skeleton in succession: more may follow."""
        if spelling not in self._whole_rows:
            if len(spelling) > _LONGEST_WHOLE or len(self._whole_rows) >= _MOST_WHOLE:
                return
            self._whole_rows[spelling] = _whole_row(spelling, skeleton.patterns)
        self._recent = [(self._whole_rows[spelling], skeleton), *self._recent[: _MOST_RECENT - 1]]

    def _take(self, skeleton: _Skeleton, row: int, attributes: str, texts: list[str]) -> tuple[int, str] | None:
        """Put a row whose texts have been checked into the store."""
        if row > LAST_ROW or self._cells.has_row(row) or len(self._cells) + len(skeleton.pieces) > self._sink.max_cells:
            return None
        entries = self._entries(skeleton, texts)
        if entries is None:
            return None
        if entries:
            self._cells.put_row(row, skeleton.shape, entries, self._sink.build)
        return row, attributes

    def _entries(self, skeleton: _Skeleton, cut: list[str]) -> list[Stored] | None:
        """The entries of a row whose texts have been checked; None if one of them shows nothing or is not there."""
        if skeleton.plain:
            values: list[str | None] = cut  # type: ignore[assignment]
        else:
            values = [None if value is None else cut[value] for value, _, _ in skeleton.pieces]
        for position in skeleton.strings:
            number = int(values[position] or 0)
            if number >= len(self._strings) or not (string := self._strings[number]):
                return None
            values[position] = string
        for position in skeleton.words:
            word = values[position] or ""
            if "&" in word:
                values[position] = word = self._unescape(word)
            if "_x" in word and skeleton.shape.types[position][0] == "str":
                values[position] = unescape(word)
        for position, kept in skeleton.runs:
            values[position] = text_of_run(values[position] or "", kept)
            if not values[position]:
                return None
        if skeleton.plain:
            return values  # type: ignore[return-value]
        entries: list[Stored] = []
        for value, (_, formula, shared) in zip(values, skeleton.pieces, strict=True):
            if formula is not None:
                entries.append((value, self._unescape(cut[formula])))
            elif shared is not None:
                entries.append((value, self._sink.shared_formula(shared)))
            else:
                assert value is not None, "the skeleton says that a cell without formula has a text"
                entries.append(value)
        return entries

    def _understand(self, spelling: str) -> _Skeleton | None:
        if len(spelling) > _LONGEST_SKELETON or len(self._skeletons) >= _MOST_SKELETONS:
            return None
        skeleton = self._skeletons[spelling] = self._skeleton(spelling)
        return skeleton

    def _skeleton(self, spelling: str) -> _Skeleton | None:
        columns: list[int] = []
        types: list[tuple[str, str]] = []
        pieces: list[tuple[int | None, int | None, str | None]] = []
        patterns: list[str] = []
        strings: list[int] = []
        words: list[int] = []
        runs: list[tuple[int, bool]] = []
        place = last = 0
        while (found := _CELL.match(spelling, place)) is not None:
            place = found.end()
            letters, style, kind, formula, shared, value, run = found.groups()
            column = column_number(letters)
            if column <= last or column > LAST_COLUMN:
                return None
            last = column
            if value is None and run is None and formula is None and shared is None:
                continue
            kind, style = kind or "n", style or "0"
            if (run is not None) != (kind == "inlineStr") or (kind == "s" and value is None):
                return None
            position = len(columns)
            columns.append(column)
            types.append((kind, style))
            if formula is not None:
                patterns.append(f"{_WORDS}+{_FORMULA_END}")
            if run is not None:
                patterns.append(f"{_WORDS}+{_TEXT_END}")
                words.append(position)
                runs.append((position, run == _KEPT_TEXT))
            elif value is not None:
                if kind not in _TEXTS_BY_TYPE:
                    return None
                patterns.append((_DAYS if kind == "n" and self._sink.style(style).is_date else _TEXTS_BY_TYPE[kind]) + _VALUE_END)
                if kind == "s":
                    strings.append(position)
                elif kind == "str":
                    words.append(position)
            first = len(patterns) - (formula is not None) - (value is not None or run is not None)
            pieces.append((
                len(patterns) - 1 if value is not None or run is not None else None,
                first if formula is not None else None,
                shared,
            ))  # fmt: skip
        if spelling[place:].strip(" \t\r\n"):
            return None
        pattern = self._pattern(tuple(patterns))
        if pattern is None:
            return None
        computed = [at for at, (_, formula, shared) in enumerate(pieces) if formula is not None or shared is not None]
        plain = not computed
        kinds = tuple(self._sink.kind(*type_) for type_ in types)
        shape = RowShape.of(tuple(columns), tuple(types), computed, kinds)
        return _Skeleton(
            shape, pattern, tuple(patterns), plain, tuple(pieces), tuple(strings), tuple(words), tuple(runs)
        )  # fmt: skip

    def _pattern(self, texts: tuple[str, ...]) -> re.Pattern[str] | None:
        """The expression for a row's texts; None if the sheet has had too many different ones."""
        if texts not in self._patterns:
            if len(self._patterns) >= _MOST_PATTERNS:
                return None
            runs = "".join(f"(?:{text}){{{len(list(same))}}}" for text, same in groupby(texts))
            self._patterns[texts] = re.compile(runs)
        return self._patterns[texts]


def _whole_row(spelling: str, patterns: Sequence[str]) -> re.Pattern[str]:
    """The XML of a row of this spelling, whose texts match `patterns` (each with its end mark), with its number, the head's
    further attributes and each text as groups."""
    whole = f"{_HEAD.pattern}>"
    for part, text in zip(spelling.split(_CUT), [*patterns, ""], strict=True):
        opening, closing = _TAGS.get(part[-1:], ("<v>", "</v>"))
        cells = r"\1".join(re.escape(piece) for piece in part.strip(_TEXT + _KEPT_TEXT).split(_NUMBER))
        whole += cells + (f"{opening}({text[:-1]}){closing}" if text else "")
    return re.compile(whole)
