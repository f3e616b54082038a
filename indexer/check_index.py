"""Whether the row index holds just what can be seen now: nothing stale, nothing left over, no row too few or too many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from indexer.index_files import IndexedView, ViewFile, chunks_of, digest_of
from indexer.row_index import RowIndex

FindingKind = Literal["left_over", "without_record", "rows_differ", "texts_differ"]

ViewsOf = Callable[[frozenset[str]], Mapping[str, IndexedView]]
"""A set of levels -> the views that a person with these levels has now, by their digests."""


@dataclass(frozen=True)
class IndexFinding:
    """One view that is not as it should be. left_over: nobody sees it any more (removed, another version, level or map);
    without_record: vectors that no finished view stands for; rows_differ: points missing or too many; texts_differ: made from
    other texts than the segment holds."""

    kind: FindingKind
    view: str
    document: str
    sheet: str | None
    expected: int
    found: int


@dataclass(frozen=True)
class IndexReport:
    """`views`, `rows`: in the index."""

    views: int
    rows: int
    findings: tuple[IndexFinding, ...]

    @property
    def ok(self) -> bool:
        return not self.findings


def check_index(index: RowIndex, views_of: ViewsOf) -> IndexReport:
    """Compares every view of the index with catalogue, schema maps and segments as they are now."""
    files = {file.view: file for file in index.files.all()}
    counts = dict(index.store.counts())
    findings = [
        IndexFinding("without_record", view, "", None, 0, count) for view, count in sorted(counts.items()) if view not in files
    ]
    seen: dict[tuple[str, ...], Mapping[str, IndexedView]] = {}
    for file in files.values():
        if file.levels not in seen:
            seen[file.levels] = views_of(frozenset(file.levels))
        finding = _finding(file, seen[file.levels].get(file.view), counts.get(file.view, 0))
        findings += [finding] if finding else []
    return IndexReport(len(files), sum(counts.values()), tuple(findings))


def repair_index(index: RowIndex, findings: Sequence[IndexFinding], views_of: ViewsOf) -> int:
    """Removes what is wrong and makes again what somebody still sees; gives the number of views made."""
    files = {file.view: file for file in index.files.all()}
    index.forget([finding.view for finding in findings])
    again: dict[str, IndexedView] = {}
    for finding in findings:
        file = files.get(finding.view)
        if file is not None and finding.kind != "left_over" and (view := views_of(frozenset(file.levels)).get(file.view)):
            again[view.key] = view
    return index.prepare(tuple(again.values()))


def left_over(index: RowIndex, views_of: ViewsOf) -> list[str]:
    """The views that nobody sees any more; no text is read for it."""
    files = index.files.all()
    seen = {levels: views_of(frozenset(levels)) for levels in {file.levels for file in files}}
    return [file.view for file in files if file.view not in seen[file.levels]]


def _finding(file: ViewFile, view: IndexedView | None, count: int) -> IndexFinding | None:
    def found(kind: FindingKind, expected: int) -> IndexFinding:
        return IndexFinding(kind, file.view, file.document, file.sheet, expected, count)

    if view is None:
        return found("left_over", 0)
    chunks = chunks_of(view)
    if count != len(chunks) or file.rows != len(chunks):
        return found("rows_differ", len(chunks))
    return None if digest_of(chunks) == file.digest else found("texts_differ", len(chunks))
