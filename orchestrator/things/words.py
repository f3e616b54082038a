"""A question about things as the grammar sees it: word classes, fillers, numbers and names at each place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from orchestrator.compounds import LINKING
from orchestrator.link_names import Names
from orchestrator.link_numbers import Amount, find_amounts
from orchestrator.link_values import find_values
from orchestrator.question import Question
from orchestrator.thesaurus import word_forms
from orchestrator.things.book import Adjective, longer_phrases, phrases_by_first_word, word_book
from orchestrator.things.names import Hit, ThingNames

_LONGEST = 5
_ONE = frozenset({"ein", "eine", "einen", "einem", "einer", "eines"})


@dataclass(frozen=True)
class ValueHit:
    """Stored values that a run of words names exactly: (table, column) -> values."""

    columns: tuple[tuple[tuple[str, str], tuple[str | Decimal, ...]], ...]
    first: int
    last: int


@dataclass(frozen=True)
class Words:
    """The tokens of a question with everything that may stand at each place."""

    question: Question
    names: Names
    things: ThingNames
    _known: dict[tuple[str, int], Any] = field(default_factory=dict, compare=False)

    @property
    def size(self) -> int:
        return len(self.question.tokens)

    def folded(self, place: int) -> str:
        return self.question.tokens[place].folded if place < self.size else ""

    def text(self, first: int, last: int) -> str:
        tokens = self.question.tokens
        return self.question.text[tokens[first].start : tokens[last - 1].end]

    def phrase(self, place: int, *classes: str) -> int:
        """Where the longest phrase of the classes that stands here ends; `place` itself if none does."""
        here, first = place, self.folded(place)
        for name in classes:
            for words in phrases_by_first_word(name).get(first, ()):
                end = place + len(words)
                if end > here and tuple(self.folded(at) for at in range(place, end)) == words:
                    here = end
        return here

    def skip(self, place: int, *, verbs: bool = True) -> int:
        """The next place that is no filler; what is quoted never is one."""
        classes = ("fillers", "light_verbs") if verbs else ("fillers",)
        while place < self.size and not self.question.tokens[place].quoted and not self._opens_phrase(place):
            end = self.phrase(place, *classes)
            if end == place:
                break
            place = end
        return place

    def _opens_phrase(self, place: int) -> bool:
        longest = (tuple(self.folded(at) for at in range(place, place + length)) for length in (5, 4, 3, 2))
        return any(words in longer_phrases() for words in longest)

    def is_done(self, place: int) -> bool:
        return self.skip(place) >= self.size

    def starts_clause(self, place: int) -> bool:
        """A comma or the end of a sentence stands before this word."""
        tokens = self.question.tokens
        if not 0 < place < self.size:
            return False
        between = self.question.text[tokens[place - 1].end : tokens[place].start]
        return any(mark in between for mark in ",.?!;")

    @cached_property
    def _amounts(self) -> Mapping[int, Amount]:
        return {amount.first: amount for amount in find_amounts(self.question, frozenset())}

    def number(self, place: int) -> Amount | None:
        """The number said here, without a unit."""
        amount = self._amounts.get(place)
        return amount if amount is not None and amount.unit is None and not self.question.tokens[place].quoted else None

    def whole_number(self, place: int) -> tuple[int, int] | None:
        """A count behind a comparison, also "einen": the number and where it ends."""
        amount = self.number(place)
        if amount is not None:
            return (int(amount.value), amount.last) if amount.value == int(amount.value) else None
        return (1, place + 1) if self.folded(place) in _ONE else None

    def year(self, place: int) -> int | None:
        """A year in four digits."""
        text = self.question.tokens[place].text if place < self.size else ""
        return int(text) if len(text) == 4 and text.isdigit() and 1000 <= int(text) <= 2100 else None

    def adjective(self, place: int, form: str) -> Adjective | None:
        """The adjective whose comparative, superlative or base form ("word") stands here."""
        word = self.folded(place)
        if not word or self.question.tokens[place].quoted:
            return None
        for adjective in word_book().adjectives:
            if form == "word" and word == adjective.word:
                return adjective
            if form == "comparative" and word in adjective.comparative:
                return adjective
            if form == "superlative" and any(_is_superlative(word, stem) for stem in adjective.superlative):
                return adjective
        return None

    def columns(self, place: int) -> tuple[Hit, ...]:
        """Columns named from here on, the longest runs first."""
        return self._hits("columns", place)

    def tables(self, place: int) -> tuple[Hit, ...]:
        """Things named from here on, the longest runs first."""
        return self._hits("tables", place)

    def number_of(self, place: int) -> tuple[Hit, ...]:
        """Number columns that say how many of what is named there are ("Mitarbeiter" of "Anzahl der Mitarbeiter")."""
        return self._hits("number_of", place)

    def earlier(self, place: int) -> tuple[Hit, ...]:
        """A column named before, by the last part of its name ("Mitgliedsstufe …, nach der Stufe")."""
        said = [form for form in word_forms(self.folded(place)) if len(form) >= 4]
        found = [hit for before in range(place) for hit in self.columns(before) if self.folded(hit.last - 1) not in said]
        fitting = {hit.columns: hit for hit in found if any(self.folded(hit.last - 1).endswith(form) for form in said)}
        return tuple(hit.at(place, place + 1) for hit in fitting.values()) if len(fitting) == 1 else ()

    def _hits(self, kind: str, place: int) -> tuple[Hit, ...]:
        if (kind, place) not in self._known:
            found: list[Hit] = []
            for last in range(min(self.size, place + _LONGEST), place, -1):
                run = self.question.tokens[place:last]
                if any(token.quoted for token in run) or run[0].folded in LINKING or run[-1].folded in LINKING:
                    continue
                if len(run) == 1 and (self.adjective(place, "superlative") or self.adjective(place, "comparative")):
                    continue
                words = tuple(token.text for token in run if len(run) == 1 or not self._is_participle(token.index))
                look = {"columns": self.things.columns, "tables": self.things.tables, "number_of": self.things.number_of}[kind]
                found += [hit.at(place, last) for hit in look(words)]
            self._known[kind, place] = tuple(found)
        known: tuple[Hit, ...] = self._known[kind, place]
        return known

    def _is_participle(self, place: int) -> bool:
        """ "die Anzahl der gekauften Tickets": a verb that ties things to what they belong to, as an adjective."""
        word = self.folded(place)
        stems = (word.removesuffix(ending) for ending in ("en", "e", "er", "es", "em") if word.endswith(ending))
        return any((stem,) in word_book().phrases["light_verbs"] and stem.endswith("t") for stem in stems)

    def values(self, place: int) -> tuple[ValueHit, ...]:
        """Stored values named from here on, the longest runs first; a plain word of the language is none unless quoted."""
        if ("values", place) not in self._known:
            found: list[ValueHit] = []
            for last in range(min(self.size, place + 8), place, -1):
                run = self.question.tokens[place:last]
                same_quotes = len({token.quoted for token in run}) == 1
                if not same_quotes or (last == place + 1 and not run[0].quoted and self.skip(place) > place):
                    continue
                hit = self._value(place, last)
                if hit is not None:
                    found.append(hit)
            self._known["values", place] = tuple(found)
        known: tuple[ValueHit, ...] = self._known["values", place]
        return known

    def _value(self, first: int, last: int) -> ValueHit | None:
        run = self.question.tokens[first:last]
        exact = [value for value in find_values(self.names, run, "de") if not value.total_only]
        if not exact and last == first + 1 and not run[0].quoted:
            exact = [value for word in self.things.other_names(run[0].text) for value in find_values(self.names, (word,), "de")]
        if not exact and not run[-1].quoted and run[-1].folded.endswith("s") and len(run[-1].folded) > 3:
            exact = self._genitive(first, last)
        by_column: dict[tuple[str, str], list[str | Decimal]] = {}
        for value in exact:
            by_column.setdefault(value.key, []).append(value.stored)
        if not by_column:
            return None
        return ValueHit(tuple((key, tuple(dict.fromkeys(stored))) for key, stored in by_column.items()), first, last)

    def _genitive(self, first: int, last: int) -> list[Any]:
        """ "der längste Fluss New Yorks": the name without the ending of its case."""
        run = self.question.tokens[first:last]
        named = self.things.without_ending(run[-1])
        return [value for value in find_values(self.names, (*run[:-1], named), "de") if not value.total_only]


def _is_superlative(word: str, stem: str) -> bool:
    """ "laengste", "laengsten", "laengster": the stem and an ending of a declined adjective."""
    return word.startswith(stem) and word[len(stem) :] in ("", "e", "en", "er", "es", "em")
