"""Proposals and decisions as files: who, when, what; errors that name what was meant; nothing half written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from schema_maps.contract import parse_contract, read_contract
from schema_maps.known_tables import SchemaMapError
from schema_maps.layout import maps_for_document
from schema_maps.map_places import safe_name
from schema_maps.store import Decision, SchemaMapStore
from tests.schema_maps.made_sheets import AT, document

ORDERS = document(
    "auftraege.xlsx", Positionen=["t:VBELN", "t:KUNNR", "NETWR_EUR", "t:Region", "t:No", "foo_bar"], Kunden=["t:KUNNR", "t:Firma"]
)


@pytest.fixture
def store(tmp_path: Path) -> SchemaMapStore:
    return SchemaMapStore(tmp_path / "schema_maps")


def test_propose_approve_reject_and_read_again(store: SchemaMapStore) -> None:
    unread = store.propose("nord", ORDERS)
    assert [(u.header, u.parts) for u in unread] == [("foo_bar", ("foo", "bar"))]
    store.approve("nord", ORDERS, "auftraege.xlsx", "Positionen", "NETWR_EUR", "anna", AT)
    store.approve("nord", ORDERS, "auftraege.xlsx", "Positionen", "foo_bar", "bert", AT, Decision(name="Menge", unit="Stück"))
    store.reject("nord", ORDERS, "auftraege.xlsx", "Positionen", "VBELN", "anna", AT, "passt nicht")
    again = SchemaMapStore(store.root).load("nord")
    assert again == store.load("nord")
    found = {(s.sheet, c.header): (c.name, c.unit, c.status, c.by) for s in again.sheets for c in s.columns}
    assert found["Positionen", "NETWR_EUR"] == ("Nettowert", "EUR", "approved", "anna")
    assert found["Positionen", "foo_bar"] == ("Menge", "Stück", "approved", "bert")
    assert found["Positionen", "VBELN"] == ("Verkaufsbelegnummer", None, "rejected", "anna")
    assert found["Kunden", "KUNNR"] == ("Kundennummer", None, "proposed", None)
    assert ("Positionen", "Region") not in found
    assert {c.at for s in again.sheets for c in s.columns if c.by} == {AT}
    assert [u.header for u in store.propose("nord", ORDERS)] == []
    text = store.show("nord")
    assert "NETWR_EUR = Nettowert [EUR] (freigegeben durch anna am 2024-10-16 09:00)" in text
    assert "VBELN = Verkaufsbelegnummer (abgelehnt durch anna" in text


def test_approve_without_proposal_needs_a_name(store: SchemaMapStore) -> None:
    with pytest.raises(SchemaMapError, match="Für „Region“ gibt es keinen Vorschlag"):
        store.approve("nord", ORDERS, "auftraege.xlsx", "Positionen", "Region", "anna", AT)


def test_levels_stay_when_only_the_name_is_decided(store: SchemaMapStore) -> None:
    approve = (ORDERS, "auftraege.xlsx", "Positionen", "NETWR_EUR", "anna", AT)
    store.approve("nord", *approve, Decision(name="Wert", levels={"hr": {}}))
    store.approve("nord", *approve, Decision(name="Auftragswert"))
    (meaning,) = store.load("nord").sheets[0].columns
    assert (meaning.name, dict(meaning.levels)) == ("Auftragswert", {"hr": {}})


WRONG_PLACES = [
    ("auftraege.xls", "Positionen", "KUNNR", "auftraege.xlsx"),
    ("auftraege.xlsx", "Position", "KUNNR", "Positionen"),
    ("auftraege.xlsx", None, "KUNNR", "Positionen"),
    ("auftraege.xlsx", "Positionen", "NETWR", "NETWR_EUR"),
]


@pytest.mark.parametrize(("file", "sheet", "header", "near"), WRONG_PLACES)
def test_unknown_places_name_near_ones_and_nothing_is_stored(
    store: SchemaMapStore, file: str, sheet: str | None, header: str, near: str
) -> None:
    entry = {"file": f"data/{file}", "columns": {header: {"name": "X"}}} | ({"sheet": sheet} if sheet else {})
    good = {"file": "auftraege.xlsx", "sheet": "Kunden", "columns": {"KUNNR": {"name": "Kundennummer"}}}
    with pytest.raises(SchemaMapError, match=near):
        store.apply("nord", parse_contract([good, entry], [], {"nord": {"a": ["b"]}}), ORDERS, "anna", AT)
    assert store.load("nord").sheets == () and store.load("nord").synonyms == {}


def test_a_wrong_relation_stops_everything(store: SchemaMapStore) -> None:
    good = {"file": "auftraege.xlsx", "sheet": "Kunden", "columns": {"KUNNR": {"name": "Kundennummer"}}}
    wrong = {
        "from": {"file": "auftraege.xlsx", "sheet": "Positionen", "column": "KUNR"},
        "to": {"file": "auftraege.xlsx", "sheet": "Kunden", "column": "KUNNR"},
    }
    with pytest.raises(SchemaMapError, match="Ähnlich: „KUNNR“"):
        store.apply("nord", parse_contract([good], [wrong]), ORDERS, "anna", AT)
    assert store.load("nord").sheets == ()


def test_apply_approves_all_and_reports_findings(store: SchemaMapStore) -> None:
    contract = parse_contract(
        [
            {
                "file": "irgendwo/auftraege.xlsx",
                "sheet": "Positionen",
                "columns": {
                    "NETWR_EUR": {"name": "Auftragswert", "unit": "TEUR", "synonyms": ["Wert"], "levels": ["controling"]},
                    "No": {"name": "Region"},
                },
                "levels": {"nordost": {"Region": ["Nord", "Ost"]}},
            }
        ],
        [
            {
                "from": {"file": "auftraege.xlsx", "sheet": "Positionen", "column": "KUNNR"},
                "to": {"file": "auftraege.xlsx", "sheet": "Kunden", "column": "KUNNR"},
            }
        ],
        {"nord": {"Danzig": ["Gdańsk"]}, "sued": {"München": ["Munich"]}},
    )
    findings = store.apply("nord", contract, ORDERS, "anna", AT, frozenset({"controlling", "nordost"}))
    assert sorted(problem.code for problem in findings) == ["level_unknown", "same_name_twice", "unit_contradicts_file"]
    assert any("controlling" in problem.hint for problem in findings)
    loaded = SchemaMapStore(store.root).load("nord")
    (sheet,) = loaded.sheets
    assert sheet.levels == {"nordost": {"Region": ("Nord", "Ost")}}
    assert {c.header: (c.name, c.status, c.by) for c in sheet.columns} == {
        "NETWR_EUR": ("Auftragswert", "approved", "anna"),
        "No": ("Region", "approved", "anna"),
    }
    assert [(r.many.sheet, r.one.sheet, r.approved, r.by) for r in loaded.relations] == [("Positionen", "Kunden", True, "anna")]
    assert loaded.synonyms == {"Danzig": ("Gdańsk",)}
    assert store.apply("nord", contract, ORDERS, "anna", AT) is not None
    assert store.load("nord") == loaded  # the same again changes nothing


def test_the_next_file_inherits_and_gets_its_own_map_with_its_first_decision(store: SchemaMapStore) -> None:
    old = document("umsatz_2024-09.csv", csv=["rev_net", "t:Region"])
    new = document("umsatz_2024-10.csv", csv=["rev_net", "t:Region", "mrg_pct"])
    said = {"file": "umsatz_2024-09.csv", "columns": {"rev_net": {"name": "Nettoumsatz", "levels": ["vorstand"]}}}
    store.apply("nord", parse_contract([said]), old, "anna", AT)
    store.approve("nord", [*old, *new], "umsatz_2024-10.csv", None, "mrg_pct", "bert", AT)
    maps = {m.document: m for m in store.load("nord").sheets}
    assert {c.header: (c.name, c.by, list(c.levels)) for c in maps["umsatz_2024-10.csv"].columns} == {
        "rev_net": ("Nettoumsatz", "anna", ["vorstand"]),
        "mrg_pct": ("Marge", "bert", []),
    }
    assert [c.header for c in maps["umsatz_2024-09.csv"].columns] == ["rev_net"]


def test_an_unread_header_of_a_new_version_stays_unknown_when_another_is_decided(store: SchemaMapStore) -> None:
    first = document("a.csv", csv=["rev_net", "mrg_pct"])
    said = {"file": "a.csv", "columns": {"mrg_pct": {"name": "Marge", "levels": ["vorstand"]}}}
    store.apply("nord", parse_contract([said]), first, "anna", AT)
    second = document("a.csv", csv=["rev_net", "gm2"])
    store.approve("nord", second, "a.csv", None, "rev_net", "anna", AT, Decision(name="Umsatz"))
    (stored,) = maps_for_document(store.load("nord").sheets, "a.csv", {None: ("rev_net", "gm2")}).values()
    assert "gm2" not in stored.headers


BROKEN = [
    ("tenant: nord\ndocument: a.csv\nsheets: [{columns: {x: {nam: y, status: approved}}}]", "nicht vorgesehen"),
    ("tenant: nord\ndocument: a.csv\nsheets: [{columns: {x: {name: y}}}]", "Diese Angabe fehlt"),
    ("tenant: nord\ndocument: a.csv\nsheets: [{columns: {x: {name: y, status: vielleicht}}}]", "Der Wert passt nicht"),
    ("tenant: sued\ndocument: a.csv\nsheets: []", "gehört zu Mandant „sued“"),
    ("tenant: nord\ndocument: b.csv\nsheets: []", "Dokument „b.csv“"),
    ("tenant: nord\ndocument: a.csv\nsheets: [", "Kein gültiges YAML"),
    ("tenant: nord\ntenant: nord\ndocument: a.csv\nsheets: []", "steht zweimal da"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_reading_is_strict(store: SchemaMapStore, text: str, message: str) -> None:
    path = store.root / "nord" / "a.csv.map.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaMapError, match=message) as caught:
        store.load("nord")
    assert "a.csv.map.yaml" in str(caught.value)


def test_headers_that_yaml_would_read_as_something_else(store: SchemaMapStore) -> None:
    headers = ["No", "2024", "1.50", "~", "true", "2024-01-01", "a: b", "- x", "ü\nv", "'", "<<"]
    tables = document("a.csv", csv=headers)
    for header in headers:
        store.approve("nord", tables, "a.csv", None, header, "anna", AT, Decision(name=f"Name von {header}"))
    (stored,) = SchemaMapStore(store.root).load("nord").sheets
    assert [column.header for column in stored.columns] == headers


NAMES = [
    "a.csv",
    "../../x.csv",
    '"); DROP TABLE x;--.csv',
    "ä ö (1).xlsx",
    ".hidden",
    "x" * 300 + ".csv",
    "con/..\\y.csv",
    "tenant",
    "日本.xlsx",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_document_and_tenant_name_has_its_own_file(store: SchemaMapStore, name: str) -> None:
    tables = document(name, csv=["rev_net"])
    store.propose(name, tables)
    files = [path for path in store.root.rglob("*.map.yaml")]
    assert len(files) == 1 and files[0].parent.parent == store.root
    (stored,) = SchemaMapStore(store.root).load(name).sheets
    assert (stored.tenant, stored.document) == (name, name)


def test_file_names_do_not_collide() -> None:
    long = ["x" * 300 + str(i) for i in range(3)]
    assert len({safe_name(name) for name in [*NAMES, *long, "a%2Fb", "a/b"]}) == len(NAMES) + 5


def test_decisions_at_the_same_time_are_all_kept(store: SchemaMapStore) -> None:
    headers = [f"col_{i}" for i in range(12)]
    tables = document("a.csv", csv=headers)

    def approve(header: str) -> None:
        decision = Decision(name=header.upper())
        SchemaMapStore(store.root).approve("nord", tables, "a.csv", None, header, "anna", AT, decision)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(approve, headers))
    (stored,) = store.load("nord").sheets
    assert {column.header for column in stored.columns} == set(headers)


def test_stored_form_is_readable(store: SchemaMapStore) -> None:
    store.propose("nord", ORDERS)
    path = store.root / "nord" / "auftraege.xlsx.map.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert data["sheets"][0]["columns"]["NETWR_EUR"]["name"] == "Nettowert"
    assert not list(path.parent.glob("*.tmp"))


CONTRACTS = [
    ("schema_map: [{file: a.csv, colums: {}}]", "colums"),
    ("synonym: {nord: {a: [b]}}", "synonym"),
    ("schema_map: [{file: a.csv, levels: {hamburg: {}}}]", "Zeilenfilter"),
    ("schema_map: [{file: a.csv, levels: [hamburg]}]", "Zeilenfilter"),
    ("schema_map: [{file: a.csv, columns: {x: {name: a, aggregation: mean}}}]", "aggregation"),
    ("[1, 2]", "Erwartet werden"),
    ("schema_map: [{file: a.csv, columns: {x: {name: a}, x: {name: b}}}]", "zweimal"),
]


@pytest.mark.parametrize(("text", "message"), CONTRACTS)
def test_contract_is_read_strictly(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "karte.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaMapError, match=message) as caught:
        read_contract(path)
    assert "karte.yaml" in str(caught.value)


def test_one_file_name_in_two_tenants(tmp_path: Path) -> None:
    path = tmp_path / "gold.yaml"
    path.write_text(
        "goldset: x\n"
        "corpus: [{file: n/a.csv, tenant: nord, kind: sales}, {file: s/a.csv, tenant: sued}]\n"
        "schema_map: [{file: n/a.csv, columns: {x: {name: X}}}, {file: s/a.csv, columns: {y: {name: Y}}}]\n"
        "synonyms: {nord: {a: b}, sued: {c: [d]}}\n"
        "cases: []\n",
        encoding="utf-8",
    )
    contract = read_contract(path)
    nord = contract.for_tenant("nord")
    assert [list(sheet.columns) for sheet in nord.schema_map] == [["x"]]
    assert nord.synonyms == {"nord": {"a": ("b",)}}
    assert [sheet.file for sheet in contract.for_files({"s/a.csv"}).schema_map] == ["s/a.csv"]
