"""The row indexes of a workspace: one a tenant, opened with its first question about rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from indexer.catalog import Catalog
from orchestrator.scope import Asker, Scope
from orchestrator.search.tenant_rows import TenantRows, views_of
from qa.index_section import KEY_VARIABLE, IndexSection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.check_index import IndexReport
    from indexer.index_files import IndexedView
    from indexer.open_index import IndexSettings, OpenIndex
    from indexer.row_index import Progress


class RowIndexes:
    """Close it; until then this process holds the folder of every index that it has opened."""

    def __init__(self, catalog: Catalog, section: IndexSection, scope: Callable[[Asker], Scope], without: frozenset[str]) -> None:
        self._catalog = catalog
        self._section = section
        self._scope = scope
        self._without = without
        self._open: dict[str, OpenIndex] = {}
        self._lock = threading.Lock()

    def opened(self, tenant: str, *, alone: bool = False) -> OpenIndex:
        """Raises indexer.vectors.VectorStoreError; MissingModel where index.model names one that is not there."""
        from indexer.open_index import open_row_index

        with self._lock:
            if tenant not in self._open:
                place = self._catalog.place(tenant).root
                self._open[tenant] = open_row_index(place, tenant, self._settings(), alone=alone)
            return self._open[tenant]

    def rows(self, tenant: str) -> TenantRows:
        """What a question about rows of this tenant needs."""
        return TenantRows(
            index=lambda: self.opened(tenant).index,
            tables=lambda: self._catalog.tables(tenant),
            sheets=lambda version_id: self._catalog.sheets(tenant, version_id),
            limit=self._section.all_rows_up_to,
            without=self._without,
        )

    def views(self, tenant: str, levels: frozenset[str]) -> Mapping[str, IndexedView]:
        """Every view that a person with these levels has now, by its digest."""
        return views_of(self.rows(tenant), self._scope(Asker("", tenant, levels)))

    def check(self, tenant: str) -> IndexReport:
        """indexer.check_index.check_index on this tenant's index."""
        from indexer.check_index import check_index

        return check_index(self.opened(tenant, alone=True).index, lambda levels: self.views(tenant, levels))

    def repair(self, tenant: str) -> IndexReport:
        """Removes and makes again what the check finds, and gives what it found."""
        from indexer.check_index import check_index, repair_index

        index = self.opened(tenant, alone=True).index
        report = check_index(index, lambda levels: self.views(tenant, levels))
        repair_index(index, report.findings, lambda levels: self.views(tenant, levels))
        return report

    def build(self, tenant: str, levels: frozenset[str], progress: Progress) -> int:
        """Makes every view of a person with these levels, with all its vectors; gives how many were made."""
        index = self.opened(tenant, alone=True).index
        return index.prepare(tuple(self.views(tenant, levels).values()), embed_at_most=None, progress=progress)

    def forget_what_is_gone(self, tenant: str) -> None:
        """After a removal or a change of levels: takes what nobody sees any more out of the index, where this process can have
        it. Where it cannot, nothing of it is found all the same, and `beleg index check` names it."""
        from indexer.check_index import left_over
        from indexer.open_index import FOLDER
        from indexer.vectors import VectorStoreError

        if not (self._catalog.place(tenant).root / FOLDER).exists():
            return
        try:
            index = self.opened(tenant, alone=True).index
            index.forget(left_over(index, lambda levels: self.views(tenant, levels)))
        except VectorStoreError:
            return

    def close(self) -> None:
        for one in self._open.values():
            one.close()
        self._open.clear()

    def _settings(self) -> IndexSettings:
        from indexer.open_index import NO_MODEL, IndexSettings

        section = self._section
        return IndexSettings(
            model=NO_MODEL if "dense" in self._without else section.model,
            url=section.url,
            api_key=os.environ.get(KEY_VARIABLE),
            quantised=section.quantised,
            limit=section.all_rows_up_to,
            without=self._without,
        )
