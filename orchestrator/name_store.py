"""What may be said in a scope, read once and kept between questions.

Names are kept for the very tables of a scope (qa.wiring keeps a scope for everyone with the same levels), so that they never
reach anyone who sees other tables, columns or rows.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from orchestrator.lexicon import Language
from orchestrator.link_names import Names, index_names
from orchestrator.scope import Scope, VisibleTable
from orchestrator.value_names import ValueNames, read_value_names

NamesOf = Callable[[Scope, Mapping[str, VisibleTable], Language], Names]
"""Scope, one version of each table, language of the question -> the index of names."""

_MOST_TABLES = 2_000
_MOST_SCOPES = 16
_TableKey = tuple[object, ...]
_ScopeKey = tuple[Language, int, tuple[int, ...]]


@dataclass(frozen=True)
class _Kept:
    """`holds`: the objects whose identity is the key, so that it stays theirs."""

    names: Names
    holds: tuple[object, ...]


class NameStore:
    """Safe for several threads; two that miss at once both read."""

    def __init__(self) -> None:
        self._values: dict[_TableKey, ValueNames] = {}
        self._names: OrderedDict[_ScopeKey, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def names(self, scope: Scope, tables: Mapping[str, VisibleTable], language: Language) -> Names:
        """orchestrator.link_names.index_names over the values of these tables."""
        key = (language, id(scope.synonyms), tuple(map(id, tables.values())))
        with self._lock:
            if key in self._names:
                self._names.move_to_end(key)
                return self._names[key].names
        found = index_names(scope, tables, {name: self._values_of(table) for name, table in tables.items()}, language)
        with self._lock:
            self._names[key] = _Kept(found, (scope.synonyms, *tables.values()))
            while len(self._names) > _MOST_SCOPES:
                self._names.popitem(last=False)
        return found

    def _values_of(self, table: VisibleTable) -> ValueNames:
        """By segment digest and what is visible."""
        filters = tuple(sorted((column, tuple(values)) for column, values in table.row_filter.items()))
        columns = tuple((column.sql_name, column.aggregation, column.unit) for column in table.columns)
        key = (table.stored.segment_sha256, table.stored.table_id, columns, filters)
        if key not in self._values:
            if len(self._values) >= _MOST_TABLES:
                self._values.clear()
            self._values[key] = read_value_names(table)
        return self._values[key]
