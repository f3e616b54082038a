"""Measured relations against the definition, counted by hand over random columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schema_maps.relations import KeyColumn, KeyValues, RelationMeter

COLUMN = st.lists(st.sampled_from("abcd") | st.none(), max_size=6)


def values(rows: list[str | None]) -> KeyValues:
    present = [row for row in rows if row is not None]
    return KeyValues(frozenset(present), len(present))


@given(st.lists(st.tuples(st.sampled_from(["Kunde", "KUNDE", "Ort"]), st.sampled_from(["blatt1", "blatt2"]), COLUMN), max_size=5))
def test_measured(tables: list[tuple[str, str, list[str | None]]]) -> None:
    columns = [KeyColumn(f"t{i}", "k", name, "text", group, f"digest{i}") for i, (name, group, _) in enumerate(tables)]
    rows = {f"t{i}": data for i, (_, _, data) in enumerate(tables)}
    meter = RelationMeter()
    found = meter.measure(columns, lambda column: values(rows[column.table]))
    expected = set()
    for many in columns:
        for one in columns:
            many_rows = [row for row in rows[many.table] if row is not None]
            one_rows = [row for row in rows[one.table] if row is not None]
            if many.name.lower() != one.name.lower() or many.group == one.group or not many_rows:
                continue
            if all(one_rows.count(row) == 1 for row in [*one_rows, *many_rows]):
                expected.add((many.table, one.table))
    assert {(m.many.table, m.one.table) for m in found} == expected
    assert all(
        m.one_to_one == (len(set(rows[m.many.table]) - {None}) == len([r for r in rows[m.many.table] if r])) for m in found
    )

    def unread(column: KeyColumn) -> KeyValues | None:
        raise AssertionError("measured before")

    assert meter.measure(columns, unread) == found


def test_values_that_cannot_be_had_join_nothing() -> None:
    columns = [KeyColumn(t, "k", "Kunde", "text", t, t) for t in "ab"]
    assert RelationMeter().measure(columns, lambda column: None) == ()
