"""Which version of each document a question reads: the one it names, else the binding one, else the only one, else all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from indexer.stored import Version
from orchestrator.link_versions import VersionMention
from orchestrator.scope import Scope, VisibleTable


@dataclass(frozen=True)
class VersionChoice:
    """document -> versions to read, newest first; `named`: documents whose version the question itself names."""

    candidates: Mapping[str, tuple[Version, ...]]
    named: frozenset[str]

    def first(self) -> dict[str, str]:
        """One version a document: what names and columns are read from."""
        return {document: versions[0].version_id for document, versions in self.candidates.items()}

    def open_documents(self, documents: Iterable[str]) -> tuple[str, ...]:
        """Those of the documents with several versions of which none is binding or named."""
        return tuple(document for document in dict.fromkeys(documents) if len(self.candidates.get(document, ())) > 1)


def choose_versions(scope: Scope, mentions: tuple[VersionMention, ...]) -> VersionChoice:
    """A mention of exactly one version names it; two mentions (a comparison) leave the binding one as the default."""
    by_document: dict[str, dict[str, Version]] = {}
    for table in scope.tables:
        by_document.setdefault(table.version.document, {})[table.version.version_id] = table.version
    named: dict[str, Version] = {}
    if len(mentions) == 1:
        per_document: dict[str, list[Version]] = {}
        for version in mentions[0].versions:
            per_document.setdefault(version.document, []).append(version)
        named = {document: versions[0] for document, versions in per_document.items() if len(versions) == 1}
    candidates: dict[str, tuple[Version, ...]] = {}
    for document, versions in by_document.items():
        newest = tuple(sorted(versions.values(), key=lambda version: -version.number))
        binding = tuple(version for version in newest if version.binding)
        candidates[document] = (named[document],) if document in named else binding[:1] or newest
    return VersionChoice(candidates, frozenset(named))


def representative_tables(scope: Scope, choice: VersionChoice) -> dict[str, VisibleTable]:
    """SQL name -> the table in the first candidate version of its document (or in any version that has it)."""
    first = choice.first()
    tables: dict[str, VisibleTable] = {}
    for table in scope.tables:
        if table.version.version_id == first[table.version.document]:
            tables[table.sql_name] = table
    for table in scope.tables:
        if table.version in choice.candidates[table.version.document]:
            tables.setdefault(table.sql_name, table)
    return tables
