"""Each case is a CSV trap: the bytes, every cell as read, and what is reported."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.address import cell_address
from parsers.csv_dialect import find_dialect
from parsers.csv_records import Dialect, physical_lines, records
from parsers.problem import UnreadableFile
from parsers.read_file import read_grids


class Case(NamedTuple):
    name: str
    data: str | bytes
    cells: dict[str, str]  # every cell: address by physical line -> value
    ragged: dict[int, int] = {}  # noqa: RUF012
    codes: tuple[str, ...] = ()
    kind: str = "csv"


SIMPLE = {"A1": "Kunde", "B1": "Umsatz", "A2": "A", "B2": "1,5", "A3": "B", "B3": "2,5"}
CASES = (
    Case("decimal_comma_with_semicolon", "Kunde;Umsatz\nA;1,5\nB;2,5\n", SIMPLE),
    Case("crlf_and_missing_last_line_end", "Kunde;Umsatz\r\nA;1,5\r\nB;2,5", SIMPLE),
    Case("old_mac_line_ends", "Kunde;Umsatz\rA;1,5\rB;2,5\r", SIMPLE),
    Case("tabs", "Kunde\tUmsatz\nA\t1,5\nB\t2,5\n", SIMPLE, kind="tsv"),
    Case("bars", "Kunde|Umsatz\nA|1,5\nB|2,5\n", SIMPLE),
    Case("comma_with_quoted_decimal_comma", 'Kunde,Umsatz\nA,"1,5"\nB,"2,5"\n', SIMPLE),
    Case(
        "comma_is_delimiter_and_decimal",
        "Kunde,Umsatz\nA,1,5\nB,2,5\n",
        {"A1": "Kunde", "B1": "Umsatz", "A2": "A", "B2": "1", "C2": "5", "A3": "B", "B3": "2", "C3": "5"},
        {2: 3, 3: 3},
        ("ragged_row", "ragged_row"),
    ),
    Case(
        "decimals_under_a_header_that_ends_with_a_comma",
        "Kunde,Umsatz,\nA,1,5\nB,2,5\nC,3,\n",
        {"A1": "Kunde", "B1": "Umsatz", "A2": "A", "B2": "1", "C2": "5", "A3": "B", "B3": "2", "C3": "5", "A4": "C", "B4": "3"},
        {2: 3, 3: 3},
        ("ragged_row", "ragged_row"),
    ),
    Case(
        "many_decimal_commas_do_not_make_comma_the_delimiter",
        "a;b;c\n" + "1,5;2,5;3,5\n" * 3,
        {"A1": "a", "B1": "b", "C1": "c"}
        | {f"{column}{row}": f"{number},5" for row in (2, 3, 4) for column, number in zip("ABC", "123", strict=True)},
    ),
    Case(
        "commas_in_text_do_not_make_comma_the_delimiter",
        "Name;Ort\nMeier, Ina;Ulm\nKurz, Jan;Bonn\n",
        {"A1": "Name", "B1": "Ort", "A2": "Meier, Ina", "B2": "Ulm", "A3": "Kurz, Jan", "B3": "Bonn"},
    ),
    Case("sep_line", "sep=;\nKunde;Umsatz\nA;1,5\n", {"A2": "Kunde", "B2": "Umsatz", "A3": "A", "B3": "1,5"}),
    Case(
        "sep_line_with_an_unusual_delimiter",
        '"sep=#"\r\nKunde#Umsatz\r\nA;B#1,5\r\n',
        {"A2": "Kunde", "B2": "Umsatz", "A3": "A;B", "B3": "1,5"},
    ),
    Case(
        "quoted_line_break_counts_as_a_line",
        'Kunde;Bemerkung;Umsatz\nA;"Zeile 1\nZeile 2; siehe oben";15\nB;"x";25\n',
        {
            "A1": "Kunde",
            "B1": "Bemerkung",
            "C1": "Umsatz",
            "A2": "A",
            "B2": "Zeile 1\nZeile 2; siehe oben",
            "C2": "15",
            "A4": "B",
            "B4": "x",
            "C4": "25",
        },
    ),
    Case("doubled_quotes", 'a;b\n"sagt ""ja""";""\n', {"A1": "a", "B1": "b", "A2": 'sagt "ja"'}),
    Case(
        "backslash_before_quotes",
        '"a","b"\n"\\"Likwit\\"","x, y"\n"\\"Last\\"","z"\n',
        {"A1": "a", "B1": "b", "A2": '"Likwit"', "B2": "x, y", "A3": '"Last"', "B3": "z"},
    ),
    Case(
        "windows_path_is_no_escape",
        'a;b\n"C:\\";1\n"D:\\";2\n',
        {"A1": "a", "B1": "b", "A2": "C:\\", "B2": "1", "A3": "D:\\", "B3": "2"},
    ),
    Case("quote_inside_a_field_is_a_character", 'a;b\n3" Rohr;1\n', {"A1": "a", "B1": "b", "A2": '3" Rohr', "B2": "1"}),
    Case(
        "quote_that_never_closes",
        'a;b\n"x;1\ny;2\n',
        {"A1": "a", "B1": "b", "A2": '"x', "B2": "1", "A3": "y", "B3": "2"},
        {2: 2},
        ("quote_unclosed",),
    ),
    Case(
        "trailing_delimiters_make_no_column",
        "Kunde;Umsatz;\nA;15;\nB;25;\n",
        {"A1": "Kunde", "B1": "Umsatz", "A2": "A", "B2": "15", "A3": "B", "B3": "25"},
    ),
    Case(
        "trailing_delimiters_below_the_header_only",
        "Kunde;Umsatz\nA;15;\nB;25;\n",
        {"A1": "Kunde", "B1": "Umsatz", "A2": "A", "B2": "15", "A3": "B", "B3": "25"},
    ),
    Case(
        "one_row_too_long",
        "Kunde;Umsatz\nAlpha;1\nGamma;5\nDelta;6\nBeta;2;3\n",
        {
            "A1": "Kunde",
            "B1": "Umsatz",
            "A2": "Alpha",
            "B2": "1",
            "A3": "Gamma",
            "B3": "5",
            "A4": "Delta",
            "B4": "6",
            "A5": "Beta",
            "B5": "2",
            "C5": "3",
        },
        {5: 3},
        ("ragged_row",),
    ),
    Case(
        "one_row_too_short",
        "a;b;c\n1;2;3\n4;5\n6;7;8\n",
        {"A1": "a", "B1": "b", "C1": "c", "A2": "1", "B2": "2", "C2": "3", "A3": "4", "B3": "5", "A4": "6", "B4": "7", "C4": "8"},
        {3: 2},
        ("ragged_row",),
    ),
    Case(
        "blank_and_empty_lines",
        "Nr;Betrag\n1;10\n\n2;20\n;;\n3;30\n",
        {"A1": "Nr", "B1": "Betrag", "A2": "1", "B2": "10", "A4": "2", "B4": "20", "A6": "3", "B6": "30"},
    ),
    Case(
        "title_above_and_footnote_below",
        "Umsatzliste Q3\nStand: 30.09.2024\n\nKunde;Umsatz\nA;10\nB;20\n\n* vorläufig\nQuelle: ERP\n",
        {
            "A1": "Umsatzliste Q3",
            "A2": "Stand: 30.09.2024",
            "A4": "Kunde",
            "B4": "Umsatz",
            "A5": "A",
            "B5": "10",
            "A6": "B",
            "B6": "20",
            "A8": "* vorläufig",
            "A9": "Quelle: ERP",
        },
    ),
    Case(
        "second_table_of_another_width",
        "Kunde;Umsatz\nA;10\nB;20\n\nOrt;Plan;Ist\nUlm;1;2\nBonn;3;4\n",
        {
            "A1": "Kunde",
            "B1": "Umsatz",
            "A2": "A",
            "B2": "10",
            "A3": "B",
            "B3": "20",
            "A5": "Ort",
            "B5": "Plan",
            "C5": "Ist",
            "A6": "Ulm",
            "B6": "1",
            "C6": "2",
            "A7": "Bonn",
            "B7": "3",
            "C7": "4",
        },
    ),
    Case(
        "apostrophe_that_protects_a_number",
        "Bewegung;Menge\nM1;4,0\nM2;'-4,0\nM3;'10,0\nM4;'s Rad\n",
        {
            "A1": "Bewegung",
            "B1": "Menge",
            "A2": "M1",
            "B2": "4,0",
            "A3": "M2",
            "B3": "-4,0",
            "A4": "M3",
            "B4": "10,0",
            "A5": "M4",
            "B5": "'s Rad",
        },
    ),
    Case(
        "codes_stay_text",
        "Kostenstelle;Betrag\n4E2;10\n0042;(900,23)\n",
        {"A1": "Kostenstelle", "B1": "Betrag", "A2": "4E2", "B2": "10", "A3": "0042", "B3": "(900,23)"},
    ),
    Case("blanks_and_no_break_spaces_only_are_empty", "a;b\n  ;1\n\u00a0;2\n", {"A1": "a", "B1": "b", "B2": "1", "B3": "2"}),
    Case("header_only", "Kunde;Umsatz\n", {"A1": "Kunde", "B1": "Umsatz"}),
    Case("one_column", "Kunde\nAlpha\nBeta\n", {"A1": "Kunde", "A2": "Alpha", "A3": "Beta"}),
    Case("utf8_with_mark", "Ort;x\nKöln;1\n".encode("utf-8-sig"), {"A1": "Ort", "B1": "x", "A2": "Köln", "B2": "1"}),
    Case("utf16_le_with_mark", "\ufeffOrt;x\nKöln;€\n".encode("utf-16-le"), {"A1": "Ort", "B1": "x", "A2": "Köln", "B2": "€"}),
    Case("utf16_be_with_mark", "\ufeffOrt;x\nKöln;1\n".encode("utf-16-be"), {"A1": "Ort", "B1": "x", "A2": "Köln", "B2": "1"}),
    Case(
        "utf16_le_without_mark",
        "Ort;x\nKöln;1\nŁódź;2\n".encode("utf-16-le"),
        {"A1": "Ort", "B1": "x", "A2": "Köln", "B2": "1", "A3": "Łódź", "B3": "2"},
    ),
    Case(
        "cp1252",
        "Kunde;Ort\nMüller € GmbH;Köln\n".encode("cp1252"),
        {"A1": "Kunde", "B1": "Ort", "A2": "Müller € GmbH", "B2": "Köln"},
    ),
    Case(
        "cp1250",
        "Klient;Miasto\nŁódź Trans;Gdańsk\n".encode("cp1250"),
        {"A1": "Klient", "B1": "Miasto", "A2": "Łódź Trans", "B2": "Gdańsk"},
    ),
    Case(
        "iso_8859_2",
        "Klient;Miasto\nŁódź Trans;Świdnica\n".encode("iso8859_2"),
        {"A1": "Klient", "B1": "Miasto", "A2": "Łódź Trans", "B2": "Świdnica"},
    ),
    Case(
        "undecidable_code_page",
        "Betrag¹;x\n1;2\n".encode("cp1252"),
        {"A1": "Betrag¹", "B1": "x", "A2": "1", "B2": "2"},
        {},
        ("encoding_undecided",),
    ),
    Case(
        "utf8_with_one_foreign_byte",
        "Ort;x\nKöln;ä\nUlm;".encode() + b"\xfc\n",
        {"A1": "Ort", "B1": "x", "A2": "Köln", "B2": "ä", "A3": "Ulm", "B3": "ü"},
        {},
        ("encoding_undecided",),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cells(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(case.data if isinstance(case.data, bytes) else case.data.encode())
    kind, (grid,), problems = read_grids(path)
    assert {cell_address(*place): cell.value for place, cell in grid.cells.items()} == case.cells
    assert all(cell.kind == "text" for cell in grid.cells.values())
    assert (kind, grid.name, grid.is_csv) == (case.kind, None, True)
    assert dict(grid.ragged_rows) == case.ragged
    assert tuple(problem.code for problem in problems) == case.codes


def test_an_export_protection_is_kept_in_the_raw_text(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("a;b\n'-4,0;x\n")
    cell = read_grids(path)[1][0].cells[2, 1]
    assert (cell.raw, cell.value, cell.quote_prefix) == ("'-4,0", "-4,0", True)


def test_a_named_encoding_decides(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes("Betragą;x\n1;2\n".encode("cp1250"))
    _, (grid,), problems = read_grids(path, encoding="cp1250")
    assert (grid.cells[1, 1].value, problems) == ("Betragą", ())
    with pytest.raises(UnreadableFile, match="ascii"):
        read_grids(path, encoding="ascii")


FIELD = st.text(st.sampled_from('ab ;,"\n\tüł1.'), max_size=6)


@given(st.lists(st.lists(FIELD, min_size=2, max_size=4), min_size=1, max_size=6), st.sampled_from(";,\t|"))
def test_written_by_the_standard_library_read_the_same(rows: list[list[str]], delimiter: str) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(rows)
    text = stream.getvalue()
    found = list(records(physical_lines(text), Dialect(delimiter)))
    assert [record.fields for record in found] == rows
    lines = [1]
    for row in rows[:-1]:
        lines.append(lines[-1] + 1 + sum(field.count("\n") for field in row))
    assert [record.line for record in found] == lines


@given(
    st.lists(
        st.tuples(st.sampled_from(["Nord", "Süd, Ost", "a;b"]), st.decimals(-9999, 9999, places=2)), min_size=2, max_size=20
    ),
    st.sampled_from(";,\t|"),
)
def test_the_delimiter_is_found(rows: list[tuple[str, object]], delimiter: str) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter).writerows(
        [("Region", "Umsatz", "Anteil"), *((name, str(value).replace(".", ","), "1") for name, value in rows)]
    )
    assert find_dialect(stream.getvalue()).delimiter == delimiter
