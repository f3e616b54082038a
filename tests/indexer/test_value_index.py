"""The value index finds what stands in a column, never what a person may not see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.folded_texts import TextGroups, fold_array, loose_array
from indexer.value_build import value_index
from indexer.value_index import PeriodValue, ValueHit, ValueIndex
from parsers.fold import fold, fold_loose
from parsers.periods import Period
from parsers.table import ColumnType
from tests.indexer.made_tables import column, parsed_table, stored

Q1 = Period(date(2024, 1, 1), date(2024, 3, 31), "quarter", "Q1 2024")
Q2 = Period(date(2024, 4, 1), date(2024, 6, 30), "quarter", "2. Quartal 2024")
TABLE = parsed_table(
    [
        column("Kunde", ColumnType.TEXT, 1),
        column("Ort", ColumnType.TEXT, 2),
        column("Zeitraum", ColumnType.PERIOD, 3),
        column("Tag", ColumnType.DATE, 4),
        column("Zeit", ColumnType.TIMESTAMP, 5),
        column("Betrag", ColumnType.DECIMAL, 6, scale=2),
        column("Nummer", ColumnType.INTEGER, 7),
        column("Offen", ColumnType.BOOLEAN, 8),
    ],
    [
        ("Nordwind AG", "Gdańsk", Q2, date(2024, 5, 2), datetime(2024, 5, 2, 8), Decimal("1.50"), Decimal(1), True),
        ("Nordwind Logistik", "München", Q1, date(2024, 1, 9), None, Decimal("2.00"), Decimal(2), False),
        ("Kühl & Söhne", "München", Q1, None, datetime(2024, 3, 1, 9), None, Decimal(3), None),
        ("Nordwind AG", None, None, date(2024, 2, 1), None, Decimal("1.50"), Decimal(4), True),
        ("Summe", "München", Q1, None, None, Decimal("5.00"), None, None),
    ],
    totals=[False, False, False, False, True],
)
ALL = tuple(c.sql_name for c in TABLE.table.columns)


@pytest.fixture
def index(tmp_path: Path) -> ValueIndex:
    return value_index(stored(TABLE, tmp_path), ALL)


EXACT = {
    "nordwind ag": [ValueHit("kunde", "Nordwind AG", 2, False)],
    "nordwind": [],
    "gdansk": [ValueHit("ort", "Gdańsk", 1, False)],
    "muenchen": [ValueHit("ort", "München", 2, False)],
    "summe": [ValueHit("kunde", "Summe", 1, True)],
    "q1 2024": [ValueHit("zeitraum", "Q1 2024", 2, False)],
    "1.50": [],
}


@pytest.mark.parametrize("folded", EXACT)
def test_exact(index: ValueIndex, folded: str) -> None:
    assert list(index.exact(folded)) == EXACT[folded]


TOKENS = {
    "nordwind": ["Nordwind AG", "Nordwind Logistik"],
    "ag": ["Nordwind AG"],
    "soehne": ["Kühl & Söhne"],
    "nord": [],
    "muenchen": ["München"],
}


@pytest.mark.parametrize("token", TOKENS)
def test_containing_token(index: ValueIndex, token: str) -> None:
    assert [hit.value for hit in index.containing_token(token)] == TOKENS[token]


def test_loose_umlauts(index: ValueIndex) -> None:
    assert [hit.value for hit in index.exact_loose("munchen")] == ["München"]
    assert [hit.value for hit in index.exact_loose("Kuhl & Sohne")] == ["Kühl & Söhne"]


NEAR = {
    "gdnask": [("Gdańsk", 1)],  # two letters swapped
    "muenchn": [("München", 1)],
    "nordwnd ag": [("Nordwind AG", 1)],
    "logistk": [("Nordwind Logistik", 1)],  # in one word of the value
    "gdansk": [],  # equal is not near
    "hamburg": [],
    "ax": [],
}


@pytest.mark.parametrize("folded", NEAR)
def test_near(index: ValueIndex, folded: str) -> None:
    assert [(hit.value, hit.edits) for hit in index.near(folded)] == NEAR[folded]


def test_values_leave_totals_out(index: ValueIndex) -> None:
    assert index.columns() == ("kunde", "ort", "zeitraum")
    assert index.values("kunde") == ("Nordwind AG", "Nordwind Logistik", "Kühl & Söhne")
    assert index.value_count("kunde") == 3
    assert index.values("betrag") == () and index.value_count("unbekannt") == 0


def test_periods_and_days(index: ValueIndex) -> None:
    assert index.periods("zeitraum") == (
        PeriodValue("Q1 2024", date(2024, 1, 1), date(2024, 3, 31), 2),
        PeriodValue("2. Quartal 2024", date(2024, 4, 1), date(2024, 6, 30), 1),
    )
    assert index.date_span("tag") == (date(2024, 1, 9), date(2024, 5, 2))
    assert index.date_span("zeit") == (date(2024, 3, 1), date(2024, 5, 2))
    assert index.date_span("kunde") is None and index.periods("kunde") == ()


FILTERS: list[tuple[Mapping[str, tuple[str, ...]], list[str]]] = [
    ({}, ["Nordwind AG", "Nordwind Logistik", "Kühl & Söhne"]),
    ({"ort": ("München",)}, ["Nordwind Logistik", "Kühl & Söhne"]),
    ({"ort": ("München",), "kunde": ("Nordwind Logistik",)}, ["Nordwind Logistik"]),
    ({"ort": ("muenchen",)}, []),  # stored values, not spellings
    ({"ort": ()}, []),
    ({"nummer": ("2", "3.0", "x", "NaN")}, ["Nordwind Logistik", "Kühl & Söhne"]),
    ({"betrag": ("1.5", "1.505")}, ["Nordwind AG"]),
    ({"offen": ("false", "falsch")}, ["Nordwind Logistik"]),
    ({"tag": ("2024-05-02", "2. Mai")}, ["Nordwind AG"]),
    ({"zeit": ("2024-03-01T09:00:00",)}, ["Kühl & Söhne"]),
    ({"zeitraum": ("Q1 2024",)}, ["Nordwind Logistik", "Kühl & Söhne"]),
    ({"gibt_es_nicht": ("x",)}, []),
]


@pytest.mark.parametrize("number", range(len(FILTERS)))
def test_a_row_filter_hides_everything_else(number: int, tmp_path: Path) -> None:
    row_filter, expected = FILTERS[number]
    reduced = value_index(stored(TABLE, tmp_path), ALL, row_filter)
    assert list(reduced.values("kunde")) == expected
    hidden = {"Nordwind AG", "Nordwind Logistik", "Kühl & Söhne"} - set(expected)
    for value in hidden:
        ways = (reduced.exact(fold(value)), reduced.near(fold(value)[:-1] + "q"), reduced.exact_loose(value))
        assert not [hit for hits in ways for hit in hits if hit.value == value]


def test_a_hidden_column_is_not_in_the_index_even_when_it_filters(tmp_path: Path) -> None:
    reduced = value_index(stored(TABLE, tmp_path), ["kunde"], {"ort": ("München",)})
    assert reduced.columns() == ("kunde",) and reduced.exact("muenchen") == () and reduced.near("muenchn") == ()
    assert reduced.date_span("tag") is None


def test_different_scopes_of_one_segment_do_not_share_an_index(tmp_path: Path) -> None:
    table = stored(TABLE, tmp_path)
    wide, narrow = value_index(table, ALL), value_index(table, ALL, {"ort": ("Gdańsk",)})
    assert wide.exact("muenchen") and not narrow.exact("muenchen")
    assert value_index(table, list(ALL), {}) is wide, "the same scope is built once"
    assert value_index(replace(table, table_id="other"), ALL) is wide, "by digest of the segment"


@given(st.lists(st.text(max_size=8) | st.text("aeouäöüßŁ \t\n\x0b\x1c\xa0Aa1-_", max_size=8), max_size=30))
def test_folding_of_many_texts_is_that_of_each(texts: list[str]) -> None:
    array = pa.array(texts, pa.string())
    folded = fold_array(array)
    assert folded.to_pylist() == [fold(text) for text in texts]
    assert loose_array(folded).to_pylist() == [fold_loose(text) for text in texts]
    words = TextGroups.of_words(folded)
    for word in {word for text in texts for word in re.findall(r"\w+", fold(text)) if word.isascii()}:
        assert words.find(word) == [n for n, text in enumerate(texts) if word in re.split(r"[^\w]+", fold(text))]


def test_an_empty_table(tmp_path: Path) -> None:
    empty = value_index(stored(parsed_table(TABLE.table.columns, []), tmp_path), ALL)
    assert empty.exact("x") == () and empty.near("xyz") == () and empty.periods("zeitraum") == () and len(empty) == 0
