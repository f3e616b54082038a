"""`beleg goldset run --ablation`: runs it on the workspace of a finished run, and shows what each feature gains or costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from goldsets.ablation import Ablation, ablate
from goldsets.goldset import Goldset
from orchestrator.search.search_rows import FEATURES
from qa.cli_output import write, write_table
from qa.goldset_workspace import GoldsetWorkspace, reopen_goldset_workspace


def run_ablation(
    goldset: Goldset, root: Path, without: frozenset[str], progress: Callable[[str], None]
) -> tuple[Ablation, ...]:
    """`without`: features that are left out of every run."""
    opened: list[GoldsetWorkspace] = []

    def reopen(also: frozenset[str]) -> GoldsetWorkspace:
        for one in opened:
            one.close()
        opened[:] = [reopen_goldset_workspace(root, goldset, without | also)]
        return opened[0]

    try:
        return ablate(goldset, reopen, [feature for feature in FEATURES if feature not in without], progress)
    finally:
        for one in opened:
            one.close()


def write_ablation(runs: Sequence[Ablation]) -> None:
    """One line a run."""
    if not runs:
        write("Kein Fall dieses Goldsets fragt nach Zeilen; an der Suche ist hier nichts zu messen.")
        return
    rows = []
    for run in runs:
        shape = run.to_json(runs[0])
        changed = [f"-{case}" for case in shape["lost"]] + [f"+{case}" for case in shape["gained"]]
        scores = ", ".join(f"{count} {score}" for score, count in run.summary.items())
        name = f"ohne {run.without}" if run.without else "alles"
        rows.append((name, scores, shape["recall_at_1"], shape["recall_at_5"], shape["mrr"], " ".join(changed)))
    write_table(("Suche", "Wertung", "Recall@1", "Recall@5", "MRR", "verändert"), rows, right=frozenset({2, 3, 4}))
