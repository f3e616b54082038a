"""Which row of the new version is which row of the old one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from indexer.table_rows import TableRows, TypedValue
from parsers.table import ColumnType

_NAMING = (ColumnType.TEXT, ColumnType.PERIOD, ColumnType.DATE)
Match = tuple[int | None, int | None]


def choose_key(before: TableRows, after: TableRows, shared: tuple[str, ...]) -> tuple[str, ...]:
    """The columns by which rows are matched: of the text, period and date columns that alone, or else as the fewest leading
    ones together, name every row once in both versions, those that find the most rows again. All of them if even those do
    not name every row (rows of one key are then told apart by what else they hold); none if there are none."""
    naming = tuple(name for name in shared if before.columns[name].type in _NAMING and after.columns[name].type in _NAMING)
    candidates = [(name,) for name in naming] + [naming[:length] for length in range(2, len(naming) + 1)]
    best, most = naming, -1
    for key in candidates:
        old, new = _key_values(before, key), _key_values(after, key)
        if len(old) == before.count and len(new) == after.count:
            found = len(old & new)
            if found > most:
                best, most = key, found
            if len(key) > 1:
                break  # longer prefixes find no more rows
    return best


def match_rows(before: TableRows, after: TableRows, key: tuple[str, ...], shared: tuple[str, ...]) -> Iterator[Match]:
    """Pairs (row of before, row of after), None for a row that the other side lacks; in the order of the new version, then
    the removed rows. Within one key, rows that are equal throughout are paired first, then the rest in sheet order."""
    old_rows, new_rows = _by_key(before, key), _by_key(after, key)
    pairs: list[Match] = []
    for found in dict.fromkeys([*old_rows, *new_rows]):
        old, new = old_rows.get(found, []), new_rows.get(found, [])
        if len(old) == len(new) == 1:
            pairs.append((old[0], new[0]))
        else:
            pairs += _match_group(before, after, old, new, shared)
    yield from sorted((p for p in pairs if p[1] is not None), key=lambda pair: pair[1] or 0)
    yield from sorted((p for p in pairs if p[1] is None), key=lambda pair: pair[0] or 0)


def same_value(old: TypedValue, new: TypedValue) -> bool:
    """Equal as values: 1.0 and 1.00 are, 1 and "true" are not."""
    return old == new and isinstance(old, bool) == isinstance(new, bool)


def _match_group(
    before: TableRows, after: TableRows, old: Sequence[int], new: Sequence[int], shared: tuple[str, ...]
) -> Iterator[Match]:
    waiting: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for row in reversed(new):
        waiting[_whole_row(after, row, shared)].append(row)
    changed: list[int] = []
    taken: set[int] = set()
    for row in old:
        equal = waiting.get(_whole_row(before, row, shared))
        if equal:
            partner = equal.pop()
            taken.add(partner)
            yield row, partner
        else:
            changed.append(row)
    rest = [row for row in new if row not in taken]
    yield from zip(changed, rest, strict=False)
    for row in changed[len(rest) :]:
        yield row, None
    for row in rest[len(changed) :]:
        yield None, row


def _by_key(rows: TableRows, key: tuple[str, ...]) -> dict[tuple[object, ...], list[int]]:
    grouped: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for row in range(rows.count):
        grouped[tuple(rows.comparable(row, name) for name in key)].append(row)
    return grouped


def _key_values(rows: TableRows, key: tuple[str, ...]) -> set[tuple[object, ...]]:
    return {tuple(rows.comparable(row, name) for name in key) for row in range(rows.count)}


def _whole_row(rows: TableRows, row: int, shared: tuple[str, ...]) -> tuple[object, ...]:
    return tuple((type(value) is bool, value) for value in (rows.value(row, name) for name in shared))
