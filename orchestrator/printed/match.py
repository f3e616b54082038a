"""Words of a question against the rows and columns of a printed table.

A row counts only where its whole label is said, a column only where everything is said that tells it from the others; every
content word must be explained by one of them or by the title."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from orchestrator.lexicon import lexicon
from orchestrator.printed.view import Label, PrintedColumn, PrintedRow, PrintedTable
from orchestrator.printed.words import Word, book, is_year

_LONG_PHRASE = 3
"""Content words of a run of the title that is recognised as a whole, even where a label holds some of its words."""


@dataclass(frozen=True)
class Asked:
    """The question's words; `content`: places that must be explained; `spent`: places that an operation explains."""

    words: tuple[Word, ...]
    content: frozenset[int]
    spent: frozenset[int] = frozenset()
    implied: frozenset[str] = frozenset()

    @property
    def said(self) -> frozenset[str]:
        """The stems that may name something; `implied`: years inside a range that is said by its ends."""
        return frozenset(word.stem for i, word in enumerate(self.words) if i not in self.spent) | self.implied


@dataclass(frozen=True)
class RowHit:
    """A row and the places in the question that say its labels; none for a total that is meant where no row is said."""

    row: PrintedRow
    places: frozenset[int]

    @property
    def first(self) -> int:
        return min(self.places, default=-1)


@dataclass(frozen=True)
class Cells:
    """The cells meant: every row with every column."""

    rows: tuple[RowHit, ...]
    columns: tuple[PrintedColumn, ...]


def read_asked(words: tuple[Word, ...]) -> Asked:
    """Function words carry nothing, nor does "children" in "children aged 9 to 18"; all others must be explained."""
    empty = lexicon("en").function_words | book().joining
    people = {i for i in range(len(words) - 2) if words[i].stem in book().people and words[i + 1].stem in ("aged", "age")}
    content = {i for i, word in enumerate(words) if word.text.lower() not in empty and word.stem not in empty}
    content |= {i for i, word in enumerate(words[:-1]) if word.stem in book().months and words[i + 1].stem.isdigit()}
    return Asked(words, frozenset(content - people))


def row_hits(printed: PrintedTable, asked: Asked) -> tuple[RowHit, ...]:
    """Rows whose labels are said in full; of two where one says more words of the same run, only that."""
    hits: list[RowHit] = []
    for row in printed.rows:
        ways: list[list[frozenset[int]]] = []
        for label in row.labels:
            said = _windows(asked, label) if label is not None else []
            if label is None or is_total(printed, label):
                said = [*said, frozenset()]
            ways.append(said)
        hits += [RowHit(row, frozenset().union(*choice)) for choice in product(*ways) if any(choice)]
    places = {hit.places for hit in hits}
    return tuple(hit for hit in hits if not any(hit.places < other for other in places))


def total_rows(printed: PrintedTable, asked: Asked) -> tuple[RowHit, ...]:
    """Rows that stand for all others ("Total", "All farm types", "Total" and "Both"): meant where no row is said. One that is
    not the sum of the others is meant only by its own word ("of all farm operations")."""
    found = [
        row for row in printed.rows if all(label is None or is_total(printed, label) for label in row.labels) and any(row.labels)
    ]
    doubtful = {total.label for total in printed.table.stored.table.suspected_totals}
    return tuple(
        RowHit(row, frozenset())
        for row in found
        if all(
            label is None or label.text not in doubtful or set(label.needed) & book().total <= asked.said for label in row.labels
        )
    )


def is_total(printed: PrintedTable, label: Label) -> bool:
    """Nothing but a word for everything and words of the title or the heading of the labels."""
    known = printed.kinds.union(*printed.context)
    rest = set(label.needed) - book().total
    return len(rest) < len(set(label.needed)) and rest <= known


def _windows(asked: Asked, label: Label) -> list[frozenset[int]]:
    """Runs of the question that hold every needed word of a label and nothing else but joining words and its remarks; a word that
    keeps two things apart ("and", "to") stands in the run only where the label has it."""
    found: list[frozenset[int]] = []
    words = asked.words
    for start, word in enumerate(words):
        if word.stem not in label.needed or start in asked.spent:
            continue
        rest, extra = Counter(label.needed), Counter(label.extra)
        places: list[int] = []
        order: list[str] = []
        for place in range(start, len(words)):
            stem = words[place].stem
            if place in asked.spent:
                break
            if rest[stem] > 0:
                rest[stem] -= 1
                places.append(place)
                order.append(stem)
            elif extra[stem] > 0:
                extra[stem] -= 1
                places.append(place)
            elif place in asked.content or (stem in book().separating and stem not in label.words):
                break
        complete = not +rest and (not label.ordered or order == list(label.needed))
        if complete and frozenset(places) not in found:
            found.append(frozenset(places))
    return found


def open_places(printed: PrintedTable, asked: Asked, cells: Cells) -> frozenset[int]:
    """Content words that neither the cells' labels and headers nor the title explain."""
    said = asked.said
    own = {place for hit in cells.rows for place in hit.places}
    stems: set[str] = set()
    for hit in cells.rows:
        for section in hit.row.sections:
            if set(section.needed) <= said | book().plain_header:
                stems |= section.stems
    for column in cells.columns:
        for level in column.levels:
            if level & book().turning <= said:
                stems |= level
        stems |= _unit_stems(column)
    years_in_cells = any(is_year(stem) for stem in printed.cell_stems)
    free = {
        stem
        for part in printed.context
        if part & book().turning - printed.cell_stems - printed.kinds <= said
        for stem in part
        if stem not in printed.cell_stems and not (is_year(stem) and years_in_cells)
    }
    free |= printed.kinds - printed.cell_stems
    free |= {stem for stem in book().soft if stem not in printed.cell_stems}
    if not own:
        free |= book().total
    left = [place for place in sorted(asked.content - asked.spent - own) if asked.words[place].stem not in stems | free]
    return frozenset(left) - _title_phrases(printed, asked)


def _title_phrases(printed: PrintedTable, asked: Asked) -> frozenset[int]:
    """Places of runs of the question that stand in the title just so ("aged 65 or older")."""
    found: set[int] = set()
    words, title = asked.words, printed.title
    for start in range(len(words)):
        for begin in range(len(title)):
            length = 0
            while (
                start + length < len(words)
                and begin + length < len(title)
                and words[start + length].stem == title[begin + length]
            ):
                length += 1
            places = {place for place in range(start, start + length) if place in asked.content}
            if len(places) >= _LONG_PHRASE and not any(is_year(words[place].stem) for place in places):
                found |= places
    return frozenset(found)


def _unit_stems(column: PrintedColumn) -> frozenset[str]:
    unit = column.visible.unit
    if unit is None:
        return frozenset()
    return frozenset(
        {stem for stem in (unit.lower().rstrip("s"), unit.lower()) if stem} | ({"percent"} if unit == "%" else set())
    )


def fitting_columns(printed: PrintedTable, asked: Asked) -> tuple[PrintedColumn, ...]:
    """Columns of which everything is said that tells them from the others."""
    said = asked.said
    wants_aside = bool(said & book().accessory & printed.cell_stems)
    proper = [c for c in printed.columns if wants_aside or not c.accessory]
    found = tuple(c for c in proper if c.needed <= said)
    return tuple(dict.fromkeys((*found, *_columns_of_unit(proper, said))))


def _columns_of_unit(columns: Sequence[PrintedColumn], said: frozenset[str]) -> tuple[PrintedColumn, ...]:
    """ "How many acres of garlic were there in 2011?": where only some columns have the unit that is said, it says what these
    have in common, unless that turns their name into another quantity ("Margin %")."""
    group = [c for c in columns if said & (_unit_stems(c) | (c.stems & {"percent"}))]
    if not group or len(group) == len(columns):
        return ()
    shared = frozenset.intersection(*(c.stems for c in group))
    return tuple(c for c in group if not (c.needed - said) & book().turning and c.needed - shared <= said)


def one_cell(printed: PrintedTable, asked: Asked, hits: Sequence[RowHit]) -> Cells | None:
    """The only cell that explains every word; None if there is none or more than one."""
    columns = fitting_columns(printed, asked)
    return only(printed, asked, [Cells((hit,), (column,)) for hit in hits for column in columns])


def only(printed: PrintedTable, asked: Asked, candidates: Iterable[Cells]) -> Cells | None:
    """Of the candidates that explain every word the only one; a section said in full, or one that stands for all, comes first."""
    found = {_key(cells): cells for cells in candidates if not open_places(printed, asked, cells)}
    valid = _best(
        list(found.values()), lambda cells: sum(set(s.needed) <= asked.said for hit in cells.rows for s in hit.row.sections)
    )
    if len(valid) > 1:
        valid = _best(valid, lambda cells: sum(_stands_for_all(s) for hit in cells.rows for s in hit.row.sections))
    if len(valid) != 1 or any(hit.row.conditions is None for hit in valid[0].rows):
        return None
    return valid[0] if all(column.usable for column in valid[0].columns) else None


def _key(cells: Cells) -> object:
    return tuple(hit.row.index for hit in cells.rows), tuple(column.visible.sql_name for column in cells.columns)


def _stands_for_all(section: Label) -> bool:
    return bool(section.needed) and section.needed[0] in ("all", "both")


def _best(candidates: list[Cells], score: Callable[[Cells], int]) -> list[Cells]:
    most = max((score(cells) for cells in candidates), default=0)
    return [cells for cells in candidates if score(cells) == most]
