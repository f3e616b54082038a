"""The tenant's schema maps as YAML in the workspace: proposed by rules, approved or rejected by people, with who and when.

Layout: `<root>/<tenant>/<document>.map.yaml`, and `tenant.yaml` for relations and synonyms. Every change reads, changes and
replaces whole files under a lock; reading is strict, a file that does not fit is an error and never half used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from parsers.problem import Problem
from schema_maps.check import check_sheet
from schema_maps.contract import Contract, ContractColumn, ContractEnd, ContractSheet
from schema_maps.describe import describe_tenant_map
from schema_maps.known_tables import DocumentTable, KnownSheet, SchemaMapError, find_sheet, known_sheets
from schema_maps.layout import Levels, header_key, maps_for_document
from schema_maps.map_file import DocumentFile, SynonymEntry, TenantFile, document_data, relation, relation_data, sheet_maps
from schema_maps.map_places import DOCUMENT_SUFFIX, TENANT_FILE, locked, read_file, replace_file, safe_name
from schema_maps.propose import Unread, propose
from schema_maps.schema_map import Aggregation, ColumnMeaning, Relation, RelationEnd, SheetMap, TenantMap
from schema_maps.yaml_text import read_yaml, validated, write_yaml

_File = TypeVar("_File", DocumentFile, TenantFile)


@dataclass(frozen=True)
class Decision:
    """What a person may say about a column; None leaves what stands."""

    name: str | None = None
    unit: str | None = None
    synonyms: tuple[str, ...] | None = None
    levels: Levels | None = None
    aggregation: Aggregation | None = None
    personal: bool | None = None


_Signature = tuple[int, int, int]


def _signature(path: Path) -> _Signature:
    """Another one when the file has changed."""
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


class SchemaMapStore:
    """`root`: the directory `schema_maps` of the workspace's data. All methods raise SchemaMapError."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[Path, tuple[_Signature, DocumentFile | TenantFile]] = {}
        self._loaded: dict[str, tuple[tuple[tuple[Path, _Signature], ...], TenantMap]] = {}

    def load(self, tenant: str) -> TenantMap:
        """Everything stored for a tenant, proposals included; empty for a tenant without maps. The same object while no file of
        the tenant has changed."""
        own = self.root / safe_name(tenant) / TENANT_FILE
        paths = self._document_paths(tenant)
        signatures = tuple((path, _signature(path)) for path in (*([own] if own.exists() else []), *paths))
        known = self._loaded.get(tenant)
        if known is not None and known[0] == signatures:
            return known[1]
        file = self._tenant_file(tenant)
        loaded = TenantMap(
            sheets=tuple(m for path in paths for m in sheet_maps(self._document(path, tenant))),
            relations=tuple(relation(entry) for entry in file.relations),
            synonyms={word: entry.also for word, entry in file.synonyms.items()},
        )
        self._loaded[tenant] = (signatures, loaded)
        return loaded

    def show(self, tenant: str, document: str | None = None) -> str:
        """The maps as text, of all documents or of one. Raises SchemaMapError if the named one has none."""
        loaded = self.load(tenant)
        if document is not None:
            sheets = tuple(sheet for sheet in loaded.sheets if sheet.document == document)
            if not sheets:
                hint = "„beleg schema-map propose“ schlägt Bedeutungen vor."
                raise SchemaMapError(Problem("no_schema_map", document, "Dafür gibt es noch keine Schema-Map.", hint))
            loaded = TenantMap(sheets, (), {})
        return describe_tenant_map(loaded)

    def propose(self, tenant: str, tables: Sequence[DocumentTable]) -> tuple[Unread, ...]:
        """Stores a proposal for every technical header without a decision or proposal; gives those the lexicon cannot read."""
        unread: list[Unread] = []

        def change(known: KnownSheet, current: SheetMap) -> SheetMap:
            decided = {header_key(column.header) for column in current.columns}
            proposal = propose([column for column in known.columns if header_key(column.header) not in decided])
            unread.extend(proposal.unread)
            return replace(current, columns=(*current.columns, *proposal.meanings)) if proposal.meanings else current

        self._change(tenant, tables, [(known, change) for known in known_sheets(tables)])
        return tuple(unread)

    def propose_named(
        self, tenant: str, tables: Sequence[DocumentTable], found: Sequence[tuple[KnownSheet, ColumnMeaning]]
    ) -> None:
        """Stores proposals made elsewhere for columns without a decision or proposal. A unit that the file prints stays."""

        def change(known: KnownSheet, current: SheetMap) -> SheetMap:
            for sheet, meaning in found:
                column = known.find_column(meaning.header)
                if sheet == known and column is not None and _find(current, column.header) is None:
                    fresh = replace(meaning, header=column.header, unit=column.unit or meaning.unit, status="proposed")
                    current = replace(current, columns=(*current.columns, fresh))
            return current

        sheets = [sheet for sheet, _ in found]
        self._change(tenant, tables, [(known, change) for known in known_sheets(tables) if known in sheets])

    def propose_personal(
        self, tenant: str, tables: Sequence[DocumentTable], found: Mapping[tuple[str, str | None, str], str]
    ) -> None:
        """Stores that columns look personal: (document, sheet, header) -> the reason. What a person has decided stays."""

        def change(known: KnownSheet, current: SheetMap) -> SheetMap:
            for column in known.columns:
                reason = found.get((known.document, known.sheet, column.header))
                before = _find(current, column.header) or ColumnMeaning(column.header, column.name, column.unit)
                if reason is not None and before.status == "proposed" and not before.personal:
                    text = f"{before.reason} {reason}".strip()
                    current = _put(current, replace(before, personal=True, reason=text))
            return current

        touched = {(document, sheet) for document, sheet, _ in found}
        changes = [(known, change) for known in known_sheets(tables) if (known.document, known.sheet) in touched]
        self._change(tenant, tables, changes)

    def approve(
        self, tenant: str, tables: Sequence[DocumentTable], document: str, sheet: str | None, header: str,
        by: str, at: datetime, decision: Decision = Decision(),
    ) -> tuple[Problem, ...]:  # fmt: skip
        """Approves what is proposed for a column, or would be, or what `decision` says. Gives the findings of the checks."""
        known = find_sheet(known_sheets(tables), document, sheet)
        column = known.column(header)

        def change(_: KnownSheet, current: SheetMap) -> SheetMap:
            before = _find(current, column.header) or next(iter(propose([column]).meanings), None)
            name = decision.name or (before.name if before else None)
            if name is None:
                message, hint = f"Für „{header}“ gibt es keinen Vorschlag.", "Einen Namen angeben."
                raise SchemaMapError(Problem("no_proposal", known.where, message, hint))
            approved = _decided(before or ColumnMeaning(column.header, name), decision, name)
            return _put(current, replace(approved, status="approved", by=_person(by), at=at))

        return self._change(tenant, tables, [(known, change)])

    def reject(
        self, tenant: str, tables: Sequence[DocumentTable], document: str, sheet: str | None, header: str,
        by: str, at: datetime, reason: str = "",
    ) -> None:  # fmt: skip
        """The column keeps its literal name only, and is not proposed again. Levels that it has stay in force."""
        known = find_sheet(known_sheets(tables), document, sheet)
        column = known.column(header)

        def change(_: KnownSheet, current: SheetMap) -> SheetMap:
            before = _find(current, column.header) or ColumnMeaning(column.header, column.name)
            return _put(current, replace(before, status="rejected", by=_person(by), at=at, reason=reason or before.reason))

        self._change(tenant, tables, [(known, change)])

    def apply(
        self, tenant: str, contract: Contract, tables: Sequence[DocumentTable], by: str, at: datetime,
        levels: frozenset[str] = frozenset(),
    ) -> tuple[Problem, ...]:  # fmt: skip
        """Approves all of a contract that concerns the tenant, or nothing: unknown files, sheets and headers are errors that name
        the near ones. `levels`: all that the tenant knows, for the check. Gives the findings of the checks."""
        mine, sheets = contract.for_tenant(tenant), known_sheets(tables)
        problems: list[Problem] = []
        changes: list[tuple[KnownSheet, _Change]] = []
        for entry in mine.schema_map:
            try:
                changes.append((find_sheet(sheets, entry.document, entry.sheet), _entry_change(entry, _person(by), at)))
            except SchemaMapError as error:
                problems.extend(error.problems)
        relations: list[Relation] = []
        for pair in mine.relations:
            try:
                many, one = (_relation_end(sheets, end) for end in (pair.many, pair.one))
                relations.append(Relation(many, one, approved=True, by=by, at=at))
            except SchemaMapError as error:
                problems.extend(error.problems)
        synonyms = {w: SynonymEntry(also=also, by=by, at=at) for w, also in mine.synonyms.get(tenant, {}).items()}
        findings = self._change(tenant, tables, changes, problems, levels)
        if relations or synonyms:
            self._add_to_tenant(tenant, relations, synonyms)
        return findings

    # --- reading

    def _document_paths(self, tenant: str) -> list[Path]:
        return sorted((self.root / safe_name(tenant)).glob(f"*{DOCUMENT_SUFFIX}"))

    def _document(self, path: Path, tenant: str) -> DocumentFile:
        file = self._parsed(path, DocumentFile)
        if file.tenant != tenant or path.name != safe_name(file.document) + DOCUMENT_SUFFIX:
            message = f"Die Datei gehört zu Mandant „{file.tenant}“, Dokument „{file.document}“."
            raise SchemaMapError(Problem("misplaced_schema_map", str(path), message, "Sie an ihren Platz legen oder entfernen."))
        return file

    def _tenant_file(self, tenant: str) -> TenantFile:
        path = self.root / safe_name(tenant) / TENANT_FILE
        return self._parsed(path, TenantFile) if path.exists() else TenantFile(tenant=tenant)

    def _parsed(self, path: Path, model: type[_File]) -> _File:
        """Read again only when the file has changed."""
        signature = _signature(path)
        cached = self._read.get(path)
        if cached is not None and cached[0] == signature and isinstance(cached[1], model):
            return cached[1]
        file = validated(model, read_yaml(read_file(path), str(path)), str(path))
        self._read[path] = (signature, file)
        return file

    # --- writing

    def _change(
        self, tenant: str, tables: Sequence[DocumentTable], changes: Sequence[tuple[KnownSheet, _Change]],
        problems: Sequence[Problem] = (), levels: frozenset[str] = frozenset(),
    ) -> tuple[Problem, ...]:  # fmt: skip
        """Runs all changes on the maps in effect and writes the documents that differ; nothing if there is any problem. A
        document that lived on an inherited map gets its own copy with the first decision."""
        failed = list(problems)
        everything = known_sheets(tables)
        with locked(self.root / safe_name(tenant)):
            stored = self.load(tenant).sheets
            current: dict[tuple[str, str | None], SheetMap] = {}
            for document in dict.fromkeys(known.document for known, _ in changes):
                headers = {known.sheet: known.headers for known in everything if known.document == document}
                for sheet, found in maps_for_document(stored, document, headers).items():
                    current[document, sheet] = replace(found, tenant=tenant, document=document, sheet=sheet, inherited_from=None)
            before = dict(current)
            for known, change in changes:
                fresh = SheetMap(tenant, known.document, known.sheet, (), known.headers)
                key = (known.document, known.sheet)
                try:
                    changed = change(known, current.get(key, fresh))
                except SchemaMapError as error:
                    failed.extend(error.problems)
                    continue
                if changed is not fresh:
                    current[key] = changed
            if failed:
                raise SchemaMapError(*dict.fromkeys(failed))
            touched = dict.fromkeys(key for key in current if current[key] != before.get(key))
            for document in dict.fromkeys(document for document, _ in touched):
                kept = [m for m in stored if m.document == document and (document, m.sheet) not in current]
                mine = [m for key, m in current.items() if key[0] == document and (key in touched or m in stored)]
                data = document_data(tenant, document, (*kept, *mine))
                replace_file(self.root / safe_name(tenant) / (safe_name(document) + DOCUMENT_SUFFIX), write_yaml(data))
        of_sheet = {key: [t.table for t in tables if (t.document, t.table.sheet) == key] for key in touched}
        return tuple(dict.fromkeys(p for key in touched for p in check_sheet(current[key], of_sheet[key], levels)))

    def _add_to_tenant(self, tenant: str, relations: Sequence[Relation], synonyms: Mapping[str, SynonymEntry]) -> None:
        with locked(self.root / safe_name(tenant)):
            file = self._tenant_file(tenant)
            old = [relation(entry) for entry in file.relations]
            kept = [r for r in old if not any((r.many, r.one) == (new.many, new.one) for new in relations)]
            data = {
                "tenant": tenant,
                "relations": [relation_data(item) for item in (*kept, *relations)],
                "synonyms": {
                    word: {"also": list(entry.also), "by": entry.by, "at": entry.at.isoformat() if entry.at else None}
                    for word, entry in {**file.synonyms, **synonyms}.items()
                },
            }
            replace_file(self.root / safe_name(tenant) / TENANT_FILE, write_yaml(data))


_Change = Callable[[KnownSheet, SheetMap], SheetMap]


def _entry_change(entry: ContractSheet, by: str, at: datetime) -> _Change:
    def change(known: KnownSheet, current: SheetMap) -> SheetMap:
        problems: list[Problem] = []
        for key, said in entry.columns.items():
            try:
                column = known.column(key)
            except SchemaMapError as error:
                problems.extend(error.problems)
                continue
            before = _find(current, column.header)
            meaning = _from_contract(column.header, said, column.name, by, at)
            kept = before is not None and before.personal if said.personal is None else said.personal
            current = _put(current, replace(meaning, personal=kept))
        names = {header_key(column.name) for column in current.columns} | {header_key(header) for header in known.headers}
        for column_name in (name for rows in entry.levels.values() for name in rows):
            if header_key(column_name) not in names:
                try:
                    known.column(column_name)
                except SchemaMapError as error:
                    problems.extend(error.problems)
        if problems:
            raise SchemaMapError(*problems)
        headers = tuple(dict.fromkeys((*current.headers, *known.headers)))
        return replace(current, levels={**current.levels, **entry.levels}, headers=headers)

    return change


def _from_contract(header: str, said: ContractColumn, printed_name: str, by: str, at: datetime) -> ColumnMeaning:
    return ColumnMeaning(
        header, said.name or printed_name, said.unit, said.synonyms, said.levels, said.aggregation, "approved", by, at,
        "Mit einer Datei freigegeben.",
    )  # fmt: skip


def _relation_end(sheets: Sequence[KnownSheet], end: ContractEnd) -> RelationEnd:
    known = find_sheet(sheets, end.document, end.sheet)
    return RelationEnd(known.document, known.sheet, known.column(end.column).header)


def _decided(before: ColumnMeaning, decision: Decision, name: str) -> ColumnMeaning:
    return replace(
        before,
        name=name.strip(),
        unit=before.unit if decision.unit is None else (decision.unit.strip() or None),
        synonyms=before.synonyms if decision.synonyms is None else decision.synonyms,
        levels=before.levels if decision.levels is None else decision.levels,
        aggregation=decision.aggregation or before.aggregation,
        personal=before.personal if decision.personal is None else decision.personal,
    )


def _find(sheet_map: SheetMap, header: str) -> ColumnMeaning | None:
    return next((column for column in sheet_map.columns if header_key(column.header) == header_key(header)), None)


def _put(sheet_map: SheetMap, column: ColumnMeaning) -> SheetMap:
    """Replaces the column of the same header in its place, else adds it; a decided header is no drift any more."""
    columns = list(sheet_map.columns)
    place = next((i for i, old in enumerate(columns) if header_key(old.header) == header_key(column.header)), len(columns))
    columns[place : place + 1] = [column]
    headers = tuple(dict.fromkeys((*sheet_map.headers, column.header)))
    return replace(sheet_map, columns=tuple(columns), headers=headers)


def _person(by: str) -> str:
    if not by.strip():
        raise SchemaMapError(Problem("no_person", "--by", "Wer freigibt, fehlt.", "Mit --by eine Person angeben."))
    return by.strip()
