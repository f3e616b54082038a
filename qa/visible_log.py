"""The audit log as far as a person may read it: records of questions that they could have asked themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from parsers.fold import fold
from qa.audit import Selection
from qa.person import Person
from qa.visible_cells import rests_on_visible_cells
from qa.visible_files import visible_versions
from qa.wiring import Workspace

JsonObject = Mapping[str, Any]

_QUESTIONS = ("question", "question_failed")
MOST_LOOKED_AT = 20_000
"""Records that one page of a search looks at."""


@dataclass(frozen=True)
class LogSearch:
    """`words`: in the question or the answer's text; `event`: only records of this kind."""

    selection: Selection
    words: str = ""
    event: str | None = None

    def holds(self, record: JsonObject) -> bool:
        if not self.selection.holds(record) or self.event not in (None, record["event"]):
            return False
        text = fold(f"{record.get('question') or ''} {record.get('text') or ''} {record.get('answer_id') or ''}")
        return all(word in text for word in fold(self.words).split())


@dataclass(frozen=True)
class LogPage:
    """`before`: where the next page goes on; None at the end."""

    records: tuple[JsonObject, ...]
    before: int | None


def log_page(workspace: Workspace, person: Person, search: LogSearch, *, before: int | None, most: int) -> LogPage:
    """Newest first. Questions only where every level of the asker is this person's and they see all cells of the answer;
    administrative events only with the right to see them, and those about a file only where they see the file."""
    documents = {each.version.document for each in visible_versions(workspace, person)}
    found: list[JsonObject] = []
    for looked_at, record in enumerate(_records(workspace, person, before)):
        if looked_at >= MOST_LOOKED_AT or len(found) >= most:
            return LogPage(tuple(found), int(record["seq"]) + 1)
        if search.holds(record) and _may_read(workspace, person, record, documents):
            found.append(workspace.audit.masked(record))
    return LogPage(tuple(found), None)


def _records(workspace: Workspace, person: Person, before: int | None) -> Iterator[JsonObject]:
    return iter(workspace.audit.latest(person.tenant, before))


def _may_read(workspace: Workspace, person: Person, record: JsonObject, documents: set[str]) -> bool:
    if record["event"] in _QUESTIONS:
        if not frozenset(record["levels"]) <= person.levels:
            return False
        return record["event"] == "question_failed" or rests_on_visible_cells(workspace, person.asker, record)
    document = record["detail"].get("document")
    return person.may("events") and (document is None or document in documents)
