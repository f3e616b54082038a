"""What the row index needs of a store of vectors: the same tests on both engines."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexer.embed import Dense, Sparse
from indexer.vectors import Payload, VectorPoint, VectorStore, VectorStoreBusy, VectorStoreError
from indexer.vectors_edge import EdgeStore
from indexer.vectors_server import ServerStore

SIZE = 16
Open = Callable[[Path], VectorStore]
ENGINES: dict[str, Open] = {
    "edge": lambda folder: EdgeStore(folder, SIZE),
    "server": lambda folder: ServerStore(":memory:", "nord", SIZE),
}
ROW = Payload("nord", "alle", "a.csv", "f1", "", 2, "v1", "", "sales", "rows", "view1", 0)


@pytest.fixture(params=sorted(ENGINES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorStore]:
    opened = ENGINES[request.param](tmp_path / "index")
    yield opened
    opened.close()


def point(payload: Payload, dense: Dense | None = None, *words: int) -> VectorPoint:
    """Its id comes from its view and place, as in the index."""
    name = uuid.uuid5(uuid.NAMESPACE_OID, f"{payload.view} {payload.place}")
    words = words or (1,)
    return VectorPoint(str(name), Sparse(words, tuple(1.0 for _ in words)), dense, payload)


def direction(seed: int) -> Dense:
    vector = np.random.default_rng(seed).normal(size=SIZE).astype(np.float32)
    return vector / np.linalg.norm(vector)


def test_the_nearest_come_first_and_others_not_at_all_where_no_word_is_shared(store: VectorStore) -> None:
    rows = [replace(ROW, row=row, place=row) for row in (2, 3, 4)]
    store.write([point(rows[0], direction(1), 7), point(rows[1], direction(2), 7, 8), point(rows[2], direction(3), 9)])
    found = store.search("sparse", Sparse((7, 8), (1.0, 1.0)), {"tenant": {"nord"}}, 5)
    assert [hit.payload.row for hit in found] == [3, 2]
    assert store.search("dense", direction(3), {"tenant": {"nord"}}, 1)[0].payload.row == 4


@pytest.mark.parametrize("field", ["tenant", "level", "document", "version", "kind", "content", "view"])
def test_every_field_is_a_condition_before_ranking(store: VectorStore, field: str) -> None:
    other = replace(ROW, **{field: "other", "place": 1, "row": 3})
    store.write([point(other, direction(1)), point(ROW, direction(2))])
    mine = getattr(ROW, field)
    for name, asked in (("sparse", Sparse((1,), (1.0,))), ("dense", direction(1))):
        found = store.search(name, asked, {field: {mine}}, 1)  # type: ignore[arg-type]
        assert [hit.payload for hit in found] == [ROW]


def test_equal_scores_stand_by_position_however_they_were_written(store: VectorStore) -> None:
    rows = [replace(ROW, row=row, place=row) for row in range(2, 42)]
    for row in np.random.default_rng(5).permutation(len(rows)):
        store.write([point(rows[row], direction(1))])
    for name, asked in (("sparse", Sparse((1,), (1.0,))), ("dense", direction(1))):
        found = store.search(name, asked, {"view": {"view1"}}, 5)  # type: ignore[arg-type]
        assert [hit.payload.row for hit in found] == [2, 3, 4, 5, 6]


def test_writing_again_changes_nothing_and_deleting_takes_all_of_a_view(store: VectorStore) -> None:
    rows = [point(replace(ROW, row=row, place=row), direction(row)) for row in range(3)]
    store.write(rows)
    store.write(rows)
    store.write([point(replace(ROW, view="view2"), direction(9))])
    assert store.counts() == {"view1": 3, "view2": 1}
    store.delete_views(["view1"])
    assert store.counts() == {"view2": 1}


def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    first = EdgeStore(tmp_path, SIZE)
    first.write([point(ROW, direction(1))])
    first.close()
    second = EdgeStore(tmp_path, SIZE)
    assert second.search("dense", direction(1), {"view": {"view1"}}, 1)[0].payload == ROW
    second.close()


def test_a_second_process_is_told_so_in_one_sentence(tmp_path: Path) -> None:
    code = "import sys, pathlib; from indexer.vectors_edge import EdgeStore; s = EdgeStore(pathlib.Path(sys.argv[1]), 16)"
    held = subprocess.Popen(
        [sys.executable, "-c", f"{code}; print('open', flush=True); sys.stdin.read()", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    try:
        assert held.stdout is not None and held.stdout.readline() == "open\n"
        with pytest.raises(VectorStoreBusy) as raised:
            EdgeStore(tmp_path, SIZE)
        assert str(raised.value) == (
            f"{tmp_path}: Ein anderer Vorgang von Beleg hält den Zeilenindex; warten, bis er endet, oder die Frage über den "
            "laufenden Dienst stellen."
        )
    finally:
        held.communicate("")


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(VectorStoreError, match=r"^http://127\.0\.0\.1:9: Der Zeilenindex ist nicht erreichbar \(.*; Adresse in"):
        ServerStore("http://127.0.0.1:9", "nord", SIZE)


TARGETS, DUPLICATES, K = 100, 500, 5


def test_targets_are_found_among_near_duplicates_of_other_tenants_and_versions(tmp_path: Path) -> None:
    """Around each of 100 targets 500 rows that are nearer to the question than the target itself."""
    store = EdgeStore(tmp_path, SIZE)
    noise = np.random.default_rng(11)
    points = []
    for target in range(TARGETS):
        asked = direction(1000 + target)
        far = asked + noise.normal(scale=0.2, size=SIZE).astype(np.float32)
        mine = replace(ROW, view="mine", row=target, place=target)
        points.append(point(mine, far / np.linalg.norm(far), 5_000 + target))
        for number in range(DUPLICATES):
            near = asked + noise.normal(scale=0.01, size=SIZE).astype(np.float32)
            foreign = {"tenant": "sued", "view": "foreign"} if number % 2 else {"version": "v0", "view": "old"}
            payload = replace(mine, **foreign, place=target * DUPLICATES + number)
            points.append(point(payload, near / np.linalg.norm(near), 5_000 + target, 9_000 + target))
    store.write(points)
    store.optimize()
    where = {"tenant": {"nord"}, "version": {"v1"}, "level": {"alle"}}
    for target in range(TARGETS):
        by_meaning = store.search("dense", direction(1000 + target), where, K)
        by_words = store.search("sparse", Sparse((5_000 + target, 9_000 + target), (1.0, 1.0)), where, K)
        assert target in [hit.payload.row for hit in by_meaning]
        assert [hit.payload.row for hit in by_words] == [target]
        assert all((hit.payload.tenant, hit.payload.version) == ("nord", "v1") for hit in (*by_meaning, *by_words))
    store.close()
