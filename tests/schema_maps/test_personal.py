"""Which columns look personal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from schema_maps.personal import detect

CASES = yaml.safe_load((Path(__file__).parent / "personal.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[f"{case['header']}: {', '.join(case['values'])[:40]}" for case in CASES])
def test_detect(case: dict[str, Any]) -> None:
    reason = detect(case["header"], [value for value in case["values"] if value])
    assert (reason is not None) == case["personal"], reason
    assert reason is None or reason.startswith("Personenbezogen?")
