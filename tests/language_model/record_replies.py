"""Asks a real server (BELEG_TEST_LLM_BASE_URL, BELEG_TEST_LLM_MODEL) the sampled questions and adds its replies to the file of
replies. Started by hand: python -m tests.language_model.record_replies; what is noted already is not asked again."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from orchestrator.language_model.client import OpenAiModel
from tests.language_model.model_runs import SETTINGS, NotedReplies, read_replies, run_with, tally
from tests.language_model.sample import REPLIES, chosen_cases, goldset_of, sampled_sets


def main() -> None:
    settings = replace(
        SETTINGS,
        base_url=os.environ["BELEG_TEST_LLM_BASE_URL"],
        model=os.environ.get("BELEG_TEST_LLM_MODEL", "local"),
        timeout_seconds=3_000,
        retries=0,
        breaker_failures=1_000_000,
    )
    replies = NotedReplies(read_replies(REPLIES), OpenAiModel(settings, "measuring"), REPLIES)
    for each in sampled_sets():
        goldset = goldset_of(each.name)
        if goldset is None:
            continue
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            report = run_with(goldset, Path(folder) / "workspace", replies, "model", only=chosen_cases(goldset, each.every))
        print(f"{each.name}: {dict(tally(report))}, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
