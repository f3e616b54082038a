"""The replies of a real model, kept as data: by the rules, by its plans alone, by both. Nothing may be wrong on our own sets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.language_model.model_runs import NotedReplies, Way, read_replies, run_with, tally
from tests.language_model.sample import REPLIES, SampledSet, chosen_cases, goldset_of, sampled_sets

WAYS: tuple[Way, ...] = ("rules", "model", "both")


def columns(each: SampledSet, folder: Path) -> dict[Way, Counter[str]]:
    """Of the sampled cases whose replies are noted; empty where the set is not on this machine or none is."""
    goldset, noted = goldset_of(each.name), read_replies(REPLIES)
    if goldset is None:
        return {}
    cases = [case for case in chosen_cases(goldset, each.every) if (f"{goldset.name}/{case}", 0) in noted]
    if not cases:
        return {}
    model = NotedReplies(noted)
    return {way: tally(run_with(goldset, folder / way, model, way, cases)) for way in WAYS}


@pytest.mark.slow
@pytest.mark.parametrize("each", sampled_sets(), ids=lambda each: each.name)
def test_nothing_wrong(each: SampledSet, tmp_path: Path) -> None:
    found = columns(each, tmp_path)
    if not found:
        pytest.skip("the set or its replies are not here")
    assert found["both"]["wrong"] <= found["rules"]["wrong"]
    if each.own:
        assert [found[way]["wrong"] for way in WAYS] == [0, 0, 0]


def main() -> None:
    """Prints the three columns: python -m tests.language_model.test_sample."""
    import tempfile

    for each in sampled_sets():
        with tempfile.TemporaryDirectory() as folder:
            for way, counts in columns(each, Path(folder)).items():
                print(each.name, way, *(f"{kind} {counts[kind]}" for kind in ("right", "wrong", "stopped")), flush=True)


if __name__ == "__main__":
    main()
