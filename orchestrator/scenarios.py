"""Words that mean a scenario of a plan/actual report, whatever its spelling."""

from __future__ import annotations

from collections.abc import Mapping

from parsers.fold import fold

# Words that mean a scenario of a plan/actual report, in the languages of the product.
SCENARIOS: Mapping[str, frozenset[str]] = {
    "plan": frozenset(
        {
            "plan",
            "planung",
            "soll",
            "sollwert",
            "planwert",
            "budget",
            "planned",
            "target",
            "geplant",
            "geplante",
            "geplanten",
            "geplanter",
            "geplantes",
            "budgetiert",
            "plans",
            "budgets",
            "planowany",
            "planowana",
            "planwerte",
            "planzahl",
            "planzahlen",
        }
    ),
    "actual": frozenset(
        {"ist", "istwert", "istwerte", "actual", "actuals", "tatsaechlich", "istzahl", "istzahlen", "wykonanie", "ist-wert"}
    ),
    "prior_year": frozenset({"vj", "vorjahr", "prior", "previous", "py", "vorjahreswert", "vorjahres"}),
    "forecast": frozenset({"forecast", "fc", "prognose", "hochrechnung", "erwartung", "estimate", "vorschau"}),
}


def scenario_class(text: str) -> str | None:
    """plan, actual, prior_year or forecast; None for any other word."""
    folded = fold(text)
    return next((name for name, words in SCENARIOS.items() if folded in words), None)
