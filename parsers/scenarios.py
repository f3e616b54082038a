"""Words that mean a scenario of a plan/actual report, in headers and in questions, in the languages of the product."""

from __future__ import annotations

from collections.abc import Mapping

from parsers.fold import fold


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SCENARIOS: Mapping[str, frozenset[str]] = {
    "plan": _words(
        "plan plans planung planwert planwerte planzahl planzahlen plandaten soll sollwert budget budgets bud budgetiert planned "
        "target geplant geplante geplanten geplanter geplantes geplantem planowany planowana budzet"
    ),
    "actual": _words(
        "ist istwert istwerte ist-wert istzahl istzahlen istdaten actual actuals act tatsaechlich tatsaechliche tatsaechlichen "
        "tatsaechlicher tatsaechliches wykonanie realizacja rzeczywiste"
    ),
    "prior_year": _words("vj vorjahr vorjahres vorjahreswert prior previous py")
    | {"prior year", "previous year", "last year", "rok poprzedni"},
    "forecast": _words("forecast fc prognose prognoza hochrechnung erwartung estimate vorschau"),
}
"""Folded words of each class."""

HEADER_WORDS = frozenset(word for words in SCENARIOS.values() for word in words) | {"vp", "vista", "le", "year to date", "ytd"}
"""What stands over a column of such a report: the words of the classes, and abbreviations that differ from house to house."""


def scenario_class(text: str) -> str | None:
    """plan, actual, prior_year or forecast; None for any other word."""
    folded = fold(text)
    return next((name for name, words in SCENARIOS.items() if folded in words), None)
