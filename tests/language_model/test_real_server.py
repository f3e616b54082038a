"""A real server, where the environment names one (BELEG_TEST_LLM_BASE_URL, BELEG_TEST_LLM_MODEL): nothing is wrong."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from goldsets.demo.expected import GOLDSET
from goldsets.read_goldset import read_goldset
from orchestrator.language_model.client import OpenAiModel
from tests.language_model.model_runs import SETTINGS, run_with, tally

BASE_URL = os.environ.get("BELEG_TEST_LLM_BASE_URL", "")
SHORT = ["danzig-umsatz"]


@pytest.mark.slow
@pytest.mark.skipif(not BASE_URL, reason="BELEG_TEST_LLM_BASE_URL names no server")
@pytest.mark.parametrize("way", ["model", "both"])
def test_nothing_wrong(way: str, tmp_path: Path) -> None:
    settings = replace(
        SETTINGS,
        base_url=BASE_URL,
        model=os.environ.get("BELEG_TEST_LLM_MODEL", "local"),
        structured_output="auto",
        timeout_seconds=600,
    )
    model = OpenAiModel(settings, "real")
    report = run_with(read_goldset(GOLDSET), tmp_path / "workspace", model, way, SHORT, settings)  # type: ignore[arg-type]
    assert tally(report)["wrong"] == 0
