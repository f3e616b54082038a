"""Every stop of the planner has a whole sentence in every language, also around hostile words."""

import pytest

from orchestrator.clarify import sentence, sentences
from orchestrator.lexicon import LANGUAGES, Language
from orchestrator.planners.decision import Option, PlannerStop

WORDS = ("Umsatz {0}", "Niederlassung", "<b>")


@pytest.mark.parametrize("kind", sorted(sentences()))
@pytest.mark.parametrize("language", LANGUAGES)
def test_sentence(kind: str, language: Language) -> None:
    options = (Option("Kraków {0}", "?"),) if kind.endswith("_one") and kind != "which_one" else ()
    kind = kind.removesuffix("_one") if options else kind
    text = sentence(PlannerStop("refused", "not_in_data", kind, WORDS, options), language)
    assert all(option.label in text for option in options)
    assert text.rstrip()[-1] in ".?"
    assert "{all}" not in text
    assert len(text) > 20
