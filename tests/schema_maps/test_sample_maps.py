"""The maps of the sample goldsets against the sample files, where they lie beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.parse import parse_file
from schema_maps.contract import base_name, read_contract
from schema_maps.known_tables import DocumentTable
from schema_maps.store import SchemaMapStore
from tests.schema_maps.made_sheets import AT

SAMPLES = Path(__file__).parents[2] / ".." / "shared" / "goldsets"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample files are not beside the project")


@pytest.mark.parametrize("name", ["controlling_sql", "access", "rows", "mixed"])
def test_every_key_is_found_and_nothing_is_objected_to(name: str, tmp_path: Path) -> None:
    contract = read_contract(SAMPLES / f"{name}.yaml")
    store = SchemaMapStore(tmp_path)
    for tenant in dict.fromkeys(entry.tenant for entry in contract.corpus):
        files = [entry.file for entry in contract.corpus if entry.tenant == tenant]
        tables = [
            DocumentTable(base_name(file), parsed.table)
            for file in files
            for sheet in parse_file(SAMPLES / file).sheets
            for parsed in sheet.tables
        ]
        mine = contract.for_tenant(tenant)
        assert store.apply(tenant, contract, tables, "anna", AT) == ()
        loaded = store.load(tenant)
        stored = {(m.document, m.sheet, c.name) for m in loaded.sheets for c in m.columns if c.status == "approved"}
        said = {(s.document, s.sheet, c.name or key) for s in mine.schema_map for key, c in s.columns.items()}
        assert stored == said
        assert len(loaded.relations) == len(mine.relations)
        assert loaded.synonyms == mine.synonyms.get(tenant, {})
