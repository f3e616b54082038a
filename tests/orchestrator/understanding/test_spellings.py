"""Nearly spelt names among many: the same as comparing with each of them."""

from __future__ import annotations

import random

import pytest
from rapidfuzz.distance import DamerauLevenshtein

from orchestrator.spellings import Spellings

LETTERS = "aenrst łß-0"


@pytest.mark.parametrize("seed", range(20))
def test_the_same_as_comparing_with_each(seed: int) -> None:
    chance = random.Random(seed)
    words = ["".join(chance.choices(LETTERS, k=chance.randrange(12))) for _ in range(400)]
    spellings = Spellings([(word, word.upper()) for word in words])
    for said in [*chance.sample(words, 20), *("".join(chance.choices(LETTERS, k=6)) for _ in range(20))]:
        for most in (1, 2):
            distances = {(DamerauLevenshtein.distance(said, word), word.upper()) for word in words}
            assert spellings.near(said, most) == sorted(one for one in distances if 0 < one[0] <= most)


def test_without_names_nothing_is_near() -> None:
    assert Spellings([]).near("weber", 2) == []
