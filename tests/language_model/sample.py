"""Which questions a real model is measured on, and where its replies are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from goldsets.demo.expected import GOLDSET
from goldsets.goldset import Goldset
from goldsets.read_goldset import read_goldset
from tests.language_model.model_runs import SHARED

REPLIES = Path(__file__).with_name("sample_replies.jsonl")


@dataclass(frozen=True)
class SampledSet:
    """`own`: written for this product; the others are public."""

    name: str
    every: int
    own: bool


def sampled_sets() -> tuple[SampledSet, ...]:
    raw = yaml.safe_load(Path(__file__).with_name("sample.yaml").read_text(encoding="utf-8"))
    return tuple(SampledSet(each["set"], each["every"], each["own"]) for each in raw)


def goldset_of(name: str) -> Goldset | None:
    """None where the set is not on this machine."""
    if name == "demo":
        return read_goldset(GOLDSET)
    found = [path for folder in ("goldsets", "benchmarks") if (path := SHARED / folder / f"{name}.yaml").exists()]
    return read_goldset(found[0]) if found else None


def chosen_cases(goldset: Goldset, every: int) -> list[str]:
    """Of those that stand alone: the first, and then every so many-th."""
    alone = [case.case_id for case in goldset.cases if case.after is None and case.mode == "sql"]
    return alone[::every]
