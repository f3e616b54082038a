"""Questions that the ask page offers: those that an administrator has set, and some that the asker's own tables can answer.

A question of our own making is offered only after it was answered on trial, so that no offer ends in a refusal.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass

import structlog

from orchestrator.answer import Status
from orchestrator.key_values import read_key_values
from orchestrator.scope import Asker, Scope, VisibleColumn, VisibleTable
from parsers.table import ColumnType
from qa.web.page_texts import PageLanguage
from qa.wiring import Workspace

MOST_OFFERED = 4
MOST_TRIED = 8
MOST_TABLES = 6
_MOST_GROUPS = 60
_MOST_KEPT = 200
_MOST_WARMED = 20
LOG = structlog.get_logger("beleg.web")
_NUMBERS = (ColumnType.DECIMAL, ColumnType.INTEGER)


@dataclass(frozen=True)
class Suggestion:
    """`status`: how the question ended on trial."""

    question: str
    status: Status


Made = tuple[Suggestion, ...]


class Suggestions:
    """Made once for the same levels on the same tables. Safe for several threads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[tuple[str, frozenset[str], PageLanguage], tuple[object, Future[Made]]] = {}
        self._lock = threading.Lock()
        self._trials = ThreadPoolExecutor(1, thread_name_prefix="suggestions")

    def of(self, asker: Asker, language: PageLanguage, wait: float) -> Made | None:
        """What to offer this person now; None where the trials take longer than `wait`, in seconds: they go on meanwhile."""
        scope = self._workspace.scope(asker)
        key = (asker.tenant, asker.levels, language)
        with self._lock:
            known = self._known.get(key)
            if known is None or known[0] is not scope.tables:
                if len(self._known) > _MOST_KEPT:
                    self._known.clear()
                known = (scope.tables, self._trials.submit(self._made, scope, language))
                self._known[key] = known
        try:
            return known[1].result(wait)
        except TimeoutError:
            return None
        except CancelledError:
            return ()

    def warm(self) -> None:
        """Begins what the first page would otherwise wait for: the word lists, and the tables of each tenant as a whole."""
        self._trials.submit(self._warmed)

    def _warmed(self) -> None:
        for tenant in self._workspace.catalog.tenants()[:_MOST_WARMED]:
            self._workspace.scope(Asker("", tenant, self._workspace.all_levels(tenant)))

    def close(self) -> None:
        self._trials.shutdown(wait=True, cancel_futures=True)

    def _made(self, scope: Scope, language: PageLanguage) -> Made:
        """Nothing where a trial fails: a question may still be asked, and says then what is wrong."""
        try:
            return tuple(self._make(scope, language))
        except Exception as error:
            LOG.warning("no_suggestions", reason=repr(error))
            return ()

    def _make(self, scope: Scope, language: PageLanguage) -> Iterator[Suggestion]:
        if not scope.tables:
            return
        asker = scope.asker
        given = self._workspace.settings.tenant(asker.tenant).questions
        for question in given:
            yield Suggestion(question, self._trial(question, asker))
        if given:
            return
        found = 0
        for question in list(dict.fromkeys(candidates(scope, language)))[:MOST_TRIED]:
            if self._trial(question, asker) == "answered":
                yield Suggestion(question, "answered")
                found += 1
            if found == MOST_OFFERED:
                return

    def _trial(self, question: str, asker: Asker) -> Status:
        """Not shown to anyone, so not logged; only how it ended is used."""
        result = self._workspace.service.ask(question, asker)
        self._workspace.turns.take(asker, result.answer.session_id)
        return result.answer.status


def candidates(scope: Scope, language: PageLanguage) -> Iterator[str]:
    """Questions in the words of the tables, those of different tables in turn."""
    lists = [list(_of_table(table, language)) for table in _one_of_each(scope)[:MOST_TABLES]]
    for place in range(max(map(len, lists), default=0)):
        yield from (questions[place] for questions in lists if place < len(questions))
    yield "Welche Spalten gibt es?" if language == "de" else "Which columns are there?"


def _one_of_each(scope: Scope) -> list[VisibleTable]:
    """One version of each table, the binding one or the newest."""
    chosen: dict[str, VisibleTable] = {}
    for table in scope.tables:
        other = chosen.get(table.sql_name)
        rank = (table.version.binding, table.version.number)
        if other is None or rank > (other.version.binding, other.version.number):
            chosen[table.sql_name] = table
    return sorted(chosen.values(), key=lambda table: table.stored.table.layout == "tidy")


def _of_table(table: VisibleTable, language: PageLanguage) -> Iterator[str]:
    measures = [c for c in table.columns if _is_measure(c)]
    labels = [c for c in table.columns if c.column.type is ColumnType.TEXT and _names_groups(table, c)]
    periods = [c for c in table.columns if c.column.type is ColumnType.PERIOD]
    for measure in measures[:2]:
        name = measure.names[0]
        for label in [*labels[:1], *periods[:1]]:
            yield f"{name} je {label.names[0]}?" if language == "de" else f"{name} by {label.names[0]}?"
        if labels:
            other = labels[0].names[0]
            german, english = f"Die fünf größten {other} nach {name}?", f"Top 5 {other} by {name}?"
            yield german if language == "de" else english


def _names_groups(table: VisibleTable, column: VisibleColumn) -> bool:
    """Whether a column names some few things that come again, not every row by itself."""
    read = read_key_values(table.stored, column.sql_name) if column.column.role != "value" else None
    return read is not None and 1 < len(read.values) <= min(_MOST_GROUPS, table.stored.table.data_rows // 2)


def _is_measure(column: VisibleColumn) -> bool:
    return column.column.type in _NUMBERS and column.aggregation == "sum" and column.column.blocked is None
