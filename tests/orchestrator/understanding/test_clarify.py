"""Every stop of the planner has a whole sentence in every language, also around hostile words."""

import pytest

from orchestrator.clarify import sentence, sentences
from orchestrator.lexicon import LANGUAGES, Language
from orchestrator.planners.decision import PlannerStop

WORDS = ("Umsatz {0}", "Niederlassung", "<b>")


@pytest.mark.parametrize("kind", sorted(sentences()))
@pytest.mark.parametrize("language", LANGUAGES)
def test_sentence(kind: str, language: Language) -> None:
    text = sentence(PlannerStop("refused", "not_in_data", kind, WORDS), language)
    assert text.rstrip()[-1] in ".?"
    assert "{all}" not in text
    assert len(text) > 20
