"""Table metadata survives the catalogue unchanged."""

from __future__ import annotations

import dataclasses
from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from indexer.table_json import decode_notes, decode_problems, decode_table, encode_notes, encode_problems, encode_table
from parsers.problem import Problem
from parsers.table import Column, ColumnType, ControlTotal, Table

texts = st.text(max_size=12)
decimals = st.decimals(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [Decimal("1E+30"), Decimal("0E-10"), Decimal("-0.00"), Decimal("1247890.10")]
)
problems = st.builds(Problem, texts, texts, texts, texts, st.booleans())
columns = st.builds(
    Column,
    header=texts,
    name=texts,
    sql_name=texts,
    type=st.sampled_from(ColumnType),
    path=st.lists(texts, max_size=3).map(tuple),
    position=st.none() | st.integers(1, 16384),
    unit=st.none() | texts,
    unit_column=st.none() | texts,
    scale=st.integers(0, 38),
    role=st.sampled_from(["plain", "total", "dimension", "scenario", "value"]),
    hidden=st.booleans(),
    has_cells=st.booleans(),
    has_unreadable=st.booleans(),
    blocked=st.none() | texts,
)
totals = st.builds(
    ControlTotal,
    st.integers(1, 100),
    texts,
    st.sampled_from(["total", "subtotal"]),
    st.lists(st.tuples(texts, decimals, texts), max_size=3).map(tuple),
)
rows = st.lists(st.integers(1, 10**7), max_size=3).map(tuple)
tables = st.builds(
    Table,
    name=texts,
    sheet=st.none() | texts,
    range=texts,
    layout=st.sampled_from(["list", "crosstab", "tidy"]),
    columns=st.lists(columns, max_size=3).map(tuple),
    header_rows=rows,
    first_data_row=st.none() | st.integers(1, 100),
    last_data_row=st.none() | st.integers(1, 100),
    data_rows=st.integers(0, 10**7),
    total_rows=rows,
    note_rows=rows,
    caption=st.none() | texts,
    notes=st.lists(texts, max_size=2).map(tuple),
    control_totals=st.lists(totals, max_size=2).map(tuple),
    suspected_totals=st.lists(totals, max_size=2).map(tuple),
    printed=st.none() | texts,
    measure_names=st.lists(texts, max_size=2).map(tuple),
    has_totals=st.booleans(),
    has_hidden_rows=st.booleans(),
    sheet_hidden=st.booleans(),
    as_of=st.none() | st.dates(),
    problems=st.lists(problems, max_size=2).map(tuple),
)


@given(tables)
def test_round_trip_is_equal_in_value_and_written_form(table: Table) -> None:
    again = decode_table(encode_table(table))
    assert again == table
    assert repr(again) == repr(table)  # also exponents and trailing zeros of decimals


def test_every_field_of_a_table_is_tried() -> None:
    made = Table("", None, "A1", "list", (), (), None, None, 0, as_of=date(2024, 9, 30))
    assert {field.name for field in dataclasses.fields(made)} == {
        "name", "sheet", "range", "layout", "columns", "header_rows", "first_data_row", "last_data_row", "data_rows",
        "total_rows", "note_rows", "caption", "notes", "control_totals", "suspected_totals", "printed", "measure_names",
        "has_totals",
        "has_hidden_rows", "sheet_hidden", "as_of", "problems",
    }, "a new field wants a strategy above"  # fmt: skip


@given(st.lists(problems, max_size=3).map(tuple), st.lists(texts, max_size=3).map(tuple))
def test_problems_and_notes(found: tuple[Problem, ...], notes: tuple[str, ...]) -> None:
    assert decode_problems(encode_problems(found)) == found
    assert decode_notes(encode_notes(notes)) == notes
