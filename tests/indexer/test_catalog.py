"""Tenants, versions, names, levels, binding, removal and events in the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import update

from indexer import catalog_schema as schema
from indexer.catalog import Catalog
from indexer.catalog_errors import (
    AmbiguousVersion,
    BadOption,
    BadTenantName,
    CatalogError,
    LabelTaken,
    MissingLevel,
    TenantPlaceTaken,
    UnknownDocument,
    UnknownSheet,
    UnknownTenant,
    UnknownVersion,
)
from tests.indexer.made_tables import JANUARY, SALES, branches, store, tables_of

PERSONNEL = branches(("Danzig", JANUARY, "3"), name="personal", sheet="Personal")


def test_tables_come_back_as_they_were(catalog: Catalog) -> None:
    version = store(catalog, [SALES, PERSONNEL], sheet_levels={"Personal": "hr"})
    first, second = catalog.tables("nord")
    assert (first.table, second.table) == (SALES.table, PERSONNEL.table)
    assert (first.access_level, second.access_level) == ("controlling", "hr")
    assert (first.sql_name, second.sql_name) == ("umsatz__umsatz", "umsatz__personal")
    assert first.version == version and first.segment.exists() and first.cells.exists() and version.original.exists()
    assert version.ingested_at.tzinfo is not None
    assert catalog.tables("nord") is catalog.tables("nord"), "unchanged: from memory"


def test_another_process_sees_the_change(catalog: Catalog) -> None:
    store(catalog, [SALES])
    other = Catalog.open(str(catalog.engine.url), catalog.root)
    assert other.tables("nord") == catalog.tables("nord")
    other.set_level("nord", "umsatz.xlsx", "vorstand", by="eva")
    assert [table.access_level for table in catalog.tables("nord")] == ["vorstand"]
    other.close()


@pytest.mark.parametrize("name", ["", " ", "..", ".nord", "../sued", "a/b", "a\\b", "_x", "nord.", "n\x00", "x" * 65, "日本"])
def test_bad_tenant_names(catalog: Catalog, name: str) -> None:
    with pytest.raises(BadTenantName):
        catalog.create_tenant(name)


@pytest.mark.parametrize(("first", "second"), [("nord", "Nord"), ("süd", "sued"), ("łódź", "Lodz")])
def test_two_tenants_never_share_a_place(catalog: Catalog, first: str, second: str) -> None:
    catalog.create_tenant(first)
    with pytest.raises(TenantPlaceTaken, match=second):
        catalog.create_tenant(second)


def test_tenants_are_apart(catalog: Catalog) -> None:
    catalog.create_tenant("sued")
    mine = store(catalog, [SALES])
    theirs = store(catalog, [SALES], tenant="sued")
    assert mine.sha256 == theirs.sha256 and mine.version_id != theirs.version_id
    assert {table.version.tenant for table in catalog.tables("nord")} == {"nord"}
    assert catalog.place("nord").root.parent == catalog.place("sued").root.parent
    assert catalog.place("nord").root in mine.original.parents and catalog.place("sued").root in theirs.original.parents
    table_id = catalog.tables("sued")[0].table_id
    assert catalog.table("nord", table_id) is None
    catalog.remove("sued", "umsatz.xlsx", by="eva")
    assert catalog.versions("sued") == () and catalog.versions("nord") == (mine,)


def test_unknown_tenant_has_nothing(catalog: Catalog) -> None:
    assert catalog.revision("west") is None
    assert catalog.tables("west") == () and catalog.versions("west") == ()
    with pytest.raises(UnknownTenant, match="nord"):
        catalog.authorize("west", "umsatz.xlsx", "1", by="eva")


def test_versions_count_and_keep_their_names(catalog: Catalog) -> None:
    versions = [
        store(catalog, [SALES], content=b"a"),
        store(catalog, [SALES], content=b"b", label="nach Korrektur"),
        store(catalog, [SALES, PERSONNEL], content=b"c"),
    ]
    assert [(v.number, v.label) for v in versions] == [(1, "1"), (2, "nach Korrektur"), (3, "3")]
    assert [[t.sql_name for t in tables_of(catalog, v)] for v in versions] == [
        ["umsatz__umsatz"],
        ["umsatz__umsatz"],
        ["umsatz__umsatz", "umsatz__personal"],
    ]
    with pytest.raises(LabelTaken, match="nach Korrektur"):
        store(catalog, [SALES], content=b"d", label="nach Korrektur")
    assert len(catalog.versions("nord")) == 3


def test_a_given_label_does_not_collide_with_a_later_number(catalog: Catalog) -> None:
    labels = [store(catalog, [SALES], content=c, label=given).label for c, given in ((b"a", "2"), (b"b", None), (b"c", None))]
    assert len(set(labels)) == 3


def test_colliding_names_get_a_suffix_that_stays(catalog: Catalog) -> None:
    plain = branches(("Danzig", JANUARY, "1"), name="", sheet=None)
    names = {}
    for number, document in enumerate(("sales.csv", "Sales.csv", "sales.tsv", "SALES.csv", "sales_2.csv")):
        names[document] = tables_of(catalog, store(catalog, [plain], document=document, content=b"%d" % number))[0].sql_name
    assert names["sales.csv"] == "sales" and len(set(names.values())) == 5
    again = tables_of(catalog, store(catalog, [plain], document="sales.tsv", content=b"new"))[0]
    assert again.sql_name == names["sales.tsv"]


def test_file_names_in_either_unicode_form_are_one_document(catalog: Catalog) -> None:
    from indexer.catalog_changes import document_name

    assert document_name("/tmp-x/Übersicht.xlsx") == document_name("C:\\daten\\U\u0308bersicht.xlsx") == "Übersicht.xlsx"


def test_authorize(catalog: Catalog) -> None:
    first = store(catalog, [SALES], content=b"a", label="Entwurf")
    second = store(catalog, [SALES], content=b"b", label="nach Korrektur")
    other = store(catalog, [SALES], content=b"c", document="anderes.xlsx")
    catalog.authorize("nord", "anderes.xlsx", "1", by="eva")
    assert catalog.authorize("nord", "umsatz.xlsx", "NACH KORREKTUR", by="eva").version_id == second.version_id
    chosen = catalog.authorize("nord", "umsatz.xlsx", first.version_id, by="otto")
    assert (chosen.binding, chosen.authorized_by) == (True, "otto") and chosen.authorized_at is not None
    binding = {v.version_id: (v.binding, v.authorized_by) for v in catalog.versions("nord")}
    assert binding == {first.version_id: (True, "otto"), second.version_id: (False, None), other.version_id: (True, "eva")}
    assert {t.version.label for t in catalog.tables("nord") if t.version.binding} == {"Entwurf", "1"}
    assert [(e.action, e.by, e.document) for e in catalog.events("nord")][-3:] == [
        ("authorize", "eva", "anderes.xlsx"),
        ("authorize", "eva", "umsatz.xlsx"),
        ("authorize", "otto", "umsatz.xlsx"),
    ]


def test_remove(catalog: Catalog) -> None:
    first = store(catalog, [SALES], content=b"a")
    second = store(catalog, [SALES], content=b"b")
    catalog.authorize("nord", "umsatz.xlsx", "1", by="eva")
    table = tables_of(catalog, first)[0]
    assert catalog.remove("nord", "umsatz.xlsx", "1", by="otto")[0].version_id == first.version_id
    assert [v.version_id for v in catalog.versions("nord")] == [second.version_id]
    assert not any(v.binding for v in catalog.versions("nord")), "the other version does not become binding by itself"
    assert [t.version.version_id for t in catalog.tables("nord")] == [second.version_id]
    gone = next(v for v in catalog.versions("nord", include_removed=True) if v.version_id == first.version_id)
    assert gone.removed_by == "otto" and gone.removed_at is not None and gone.original.exists()
    kept = catalog.table("nord", table.table_id)
    assert kept is not None and kept.table == table.table and kept.segment.exists(), "old answers can still be verified"
    again = store(catalog, [SALES], content=b"a")
    assert (again.number, again.label) == (3, "3"), "content that was removed can come back"
    catalog.remove("nord", "umsatz.xlsx", by="otto")
    assert catalog.versions("nord") == () and catalog.tables("nord") == ()
    with pytest.raises(UnknownDocument):
        catalog.remove("nord", "umsatz.xlsx", by="otto")


def test_set_level(catalog: Catalog) -> None:
    for content in (b"a", b"b"):
        store(catalog, [SALES, PERSONNEL], sheet_levels={"Personal": "hr"}, content=content)
    catalog.set_level("nord", "umsatz.xlsx", "vorstand", by="eva")
    assert [t.access_level for t in catalog.tables("nord")] == ["vorstand", "hr"] * 2, "a sheet's own level stays"
    catalog.set_level("nord", "umsatz.xlsx", "personalrat", sheet="Personal", by="eva")
    assert [t.access_level for t in catalog.tables("nord")] == ["vorstand", "personalrat"] * 2
    version = catalog.versions("nord")[0]
    assert [(s.name, s.access_level) for s in catalog.sheets("nord", version.version_id)] == [
        ("Umsatz", "vorstand"),
        ("Personal", "personalrat"),
    ]


def test_a_new_version_does_not_open_a_closed_sheet(catalog: Catalog) -> None:
    store(catalog, [SALES, PERSONNEL], content=b"a")
    catalog.set_level("nord", "umsatz.xlsx", "hr", sheet="Personal", by="eva")
    inherited = store(catalog, [SALES, PERSONNEL], content=b"b")
    assert [t.access_level for t in tables_of(catalog, inherited)] == ["controlling", "hr"]
    assert [p.code for p in catalog.problems("nord", inherited.version_id)] == ["sheet_level_inherited"]
    declared = store(catalog, [SALES, PERSONNEL], content=b"c", sheet_levels={"Personal": "vorstand"})
    assert [t.access_level for t in tables_of(catalog, declared)] == ["controlling", "vorstand"]


def test_a_file_without_a_level_needs_one_for_every_sheet(catalog: Catalog) -> None:
    with pytest.raises(MissingLevel, match="Umsatz"):
        store(catalog, [SALES, PERSONNEL], access_level="", sheet_levels={"Personal": "hr"})
    assert catalog.versions("nord", include_removed=True) == ()
    store(catalog, [SALES, PERSONNEL], access_level="", sheet_levels={"Personal": "hr", "Umsatz": "alle"})
    assert [t.access_level for t in catalog.tables("nord")] == ["alle", "hr"]


MISTAKES: list[tuple[type[CatalogError], str, Callable[[Catalog], object]]] = [
    (UnknownDocument, "umsatz.xlsx", lambda c: c.authorize("nord", "umsätze.xlsx", "1", by="eva")),
    (UnknownVersion, "„1“", lambda c: c.authorize("nord", "umsatz.xlsx", "Entwurf", by="eva")),
    (UnknownVersion, "„1“", lambda c: c.remove("nord", "umsatz.xlsx", "9", by="eva")),
    (UnknownSheet, "„Umsatz“", lambda c: c.set_level("nord", "umsatz.xlsx", "hr", sheet="Personal", by="eva")),
    (BadOption, "Zugriffsstufe", lambda c: c.set_level("nord", "umsatz.xlsx", " ", by="eva")),
    (BadOption, "Zugriffsstufe", lambda c: c.set_level("nord", "umsatz.xlsx", "a,b", by="eva")),
    (UnknownTenant, "nord", lambda c: c.remove("west", "umsatz.xlsx", by="eva")),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes_change_nothing_and_say_what_there_is(catalog: Catalog, number: int) -> None:
    error, says, act = MISTAKES[number]
    store(catalog, [SALES])
    before = (catalog.versions("nord"), catalog.tables("nord"), catalog.events("nord"))
    with pytest.raises(error, match=says):
        act(catalog)
    assert (catalog.versions("nord"), catalog.tables("nord"), catalog.events("nord")) == before


def test_labels_alike_are_told_apart_by_id(catalog: Catalog) -> None:
    store(catalog, [SALES], content=b"a", label="Entwurf")
    second = store(catalog, [SALES], content=b"b", label="ENTWURF")
    with pytest.raises(AmbiguousVersion, match=second.version_id):
        catalog.authorize("nord", "umsatz.xlsx", "entwurf", by="eva")
    assert catalog.authorize("nord", "umsatz.xlsx", "ENTWURF", by="eva").version_id == second.version_id


def test_events_are_kept_in_order(catalog: Catalog) -> None:
    store(catalog, [SALES])
    catalog.set_level("nord", "umsatz.xlsx", "hr", sheet="Umsatz", by="eva")
    catalog.remove("nord", "umsatz.xlsx", by="otto")
    events = catalog.events("nord")
    assert [(e.action, e.by) for e in events] == [
        ("create_tenant", ""),
        ("ingest", "anna"),
        ("set_level", "eva"),
        ("remove", "otto"),
    ]
    assert events[2].detail == {"level": "hr", "sheet": "Umsatz"}
    assert [e.at for e in events] == sorted(e.at for e in events)


def test_the_workspace_may_be_moved(catalog: Catalog, server_url: str | None, tmp_path: Path) -> None:
    store(catalog, [SALES])
    catalog.close()
    catalog.root.rename(tmp_path / "elsewhere")
    moved = Catalog.open(server_url or f"sqlite:///{tmp_path / 'elsewhere' / 'catalog.sqlite'}", tmp_path / "elsewhere")
    assert moved.tables("nord")[0].segment.exists() and moved.versions("nord")[0].original.exists()
    moved.close()


def test_version_dates(catalog: Catalog) -> None:
    version = store(catalog, [SALES])
    with catalog.change() as connection:
        connection.execute(update(schema.version).values(date=date(2024, 10, 15), status="corrected"))
        connection.execute(update(schema.tenant).values(revision=schema.tenant.c.revision + 1))
    changed = catalog.version("nord", "umsatz.xlsx", version.version_id)
    assert (changed.date, changed.status) == (date(2024, 10, 15), "corrected")
