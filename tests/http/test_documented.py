"""Whatever is sent to the service: no error of its own, and no answer that the OpenAPI document does not describe."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.http.running_service import Running, running

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = int(os.environ.get("BELEG_FUZZ_EXAMPLES", "3"))
"""For each operation; more by hand: BELEG_FUZZ_EXAMPLES=200."""


@pytest.fixture(scope="module")
def free(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, str]]:
    """A service without a bound on requests, and an administrator's key."""
    root = tmp_path_factory.mktemp("free") / "workspace"
    shutil.copytree(built, root)
    (root / "beleg.toml").write_text("[service]\nrequests_per_minute = 0\n", encoding="utf-8")
    with running(root) as service:
        yield service, service.key("amt", "*", "admin")


def test_every_answer_is_documented(free: tuple[Running, str]) -> None:
    service, key = free
    schema = schemathesis.openapi.from_url(f"{service.address}/v1/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) > 30
    for operation in operations:
        _check(operation, {"Authorization": f"Bearer {key}"})


def _check(operation: Any, headers: dict[str, str]) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        response = case.call(headers=headers, timeout=60)
        case.validate_response(response, checks=CHECKS)

    check()
