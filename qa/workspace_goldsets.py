"""Goldsets that lie in the workspace's folder `goldsets`, and what became of their runs."""

from __future__ import annotations

from collections.abc import Iterator

from goldsets.goldset import Goldset, GoldsetError
from goldsets.read_goldset import read_goldset
from qa.person import Person
from qa.settings import Settings

FOLDER = "goldsets"


def runnable_goldsets(settings: Settings, person: Person) -> Iterator[Goldset]:
    """Those that only ask this person's tenant, with levels that the person holds: a goldset says what the right numbers are. One
    that cannot be read is left out."""
    for path in sorted((settings.root / FOLDER).glob("*.yaml")):
        try:
            goldset = read_goldset(path)
        except (GoldsetError, OSError):
            continue
        if set(goldset.tenants) == {person.tenant} and all(case.levels <= person.levels for case in goldset.cases):
            yield goldset


def runnable_goldset(settings: Settings, person: Person, name: str) -> Goldset | None:
    return next((each for each in runnable_goldsets(settings, person) if each.name == name), None)
