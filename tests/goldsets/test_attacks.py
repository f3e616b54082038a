"""Questions that invite a wrong number: each may be refused or asked back, none may be answered wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from goldsets.run import CaseResult, run_goldset
from qa.goldset_workspace import open_goldset_workspace

GOLDSET = read_goldset(Path(__file__).parent / "attacks" / "attacks.yaml")
FORBIDDEN = frozenset({"wrong_number", "false_answer", "bad_source"})


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[CaseResult, ...]]:
    """Tenant -> its cases, from one run over all files."""
    report = run_goldset(GOLDSET, tmp_path_factory.mktemp("attacks") / "workspace", open_goldset_workspace)
    return {tenant: tuple(each for each in report.results if each.case.tenant == tenant) for tenant in GOLDSET.tenants}


@pytest.mark.parametrize("tenant", GOLDSET.tenants)
def test_nothing_is_answered_wrongly(tenant: str, results: Mapping[str, tuple[CaseResult, ...]]) -> None:
    wrong = [
        f"{each.case.case_id} {each.case.question}: {each.verdict.score}. {each.verdict.reason}"
        for each in results[tenant]
        if each.verdict.score in FORBIDDEN
    ]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("tenant", GOLDSET.tenants)
def test_no_question_ends_in_an_error(tenant: str, results: Mapping[str, tuple[CaseResult, ...]]) -> None:
    assert [each.case.case_id for each in results[tenant] if each.answer is None] == []
