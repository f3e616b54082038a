"""What a question wants of the cells it names: one value, a difference, a change in percent, a mean, a sum, a ratio."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from orchestrator.printed.match import Asked
from orchestrator.printed.words import book

Kind = Literal["value", "difference", "percent_change", "mean", "sum", "ratio", "percent_ratio", "times"]
Order = Literal["time", "said", "reversed"]
"""time: the later minus the earlier, rows and other columns as said; reversed: what is said last comes first."""


@dataclass(frozen=True)
class Operation:
    """`spent`: places of the question that say it. `signed`: False for "difference", which says nothing of which comes first."""

    kind: Kind
    spent: frozenset[int]
    order: Order = "time"
    signed: bool = True


_MOVES = frozenset({"change", "changed", "increase", "increased", "decrease", "decreased", "grow", "grew", "grown", "growth"})
_AGAINST = frozenset({"compared", "compare", "comparison", "versus", "vs", "relative"})


def operations(asked: Asked) -> Iterable[Operation]:
    """All that the words allow, the plain value first; the caller takes the first that leads to one cell or set of cells."""
    yield from _operations([word.stem for word in asked.words])


def _operations(stems: list[str]) -> Iterable[Operation]:
    yield Operation("value", frozenset())
    at = {name: frozenset(i for i, stem in enumerate(stems) if stem in words) for name, words in _SIGNS.items()}
    percent = at["percent"]
    if _is_phrase(stems, ("how", "many", "time")) and at["moves"]:
        yield Operation("times", at["moves"] | at["time"] | at["against"])
    if percent and (at["moves"] or at["difference"]):
        yield Operation("percent_change", percent | at["moves"] | at["difference"] | at["against"])
    elif at["moves"] or at["difference"]:
        yield Operation("difference", at["moves"] | at["difference"] | at["against"], "time", bool(at["moves"]))
    if (at["more"] or at["fewer"]) and (at["than"] or at["against"]) and not (at["more"] and at["fewer"]):
        yield Operation("difference", at["more"] | at["fewer"] | at["against"], "said" if at["more"] else "reversed")
    if at["mean"]:
        yield Operation("mean", at["mean"] | at["against"] | _counted_years(stems))
    if at["sum"]:
        yield Operation("sum", at["sum"] | at["against"] | _counted_years(stems))
    yield from _ratios(stems, at)


_SIGNS = {
    "percent": frozenset({"percent"}),
    "moves": _MOVES,
    "difference": frozenset({"difference"}),
    "against": _AGAINST | {"between"},
    "part": frozenset({"over", "consist", "consisted", "represent", "represented", "comprised"}),
    "than": frozenset({"than"}),
    "more": frozenset({"higher", "more", "greater", "larger"}),
    "fewer": frozenset({"lower", "less", "fewer", "smaller"}),
    "mean": frozenset({"mean"}),
    "sum": frozenset({"sum", "total", "combined"}),
    "time": frozenset({"time"}),
}


def _ratios(stems: list[str], at: dict[str, frozenset[int]]) -> Iterable[Operation]:
    """ "ratio of A to B", "A as a percentage of B", "what percentage of B is A"."""
    for kind, word in (("ratio", "ratio"), ("ratio", "share"), ("percent_ratio", "percent"), ("ratio", "divided")):
        for place in (i for i, stem in enumerate(stems) if stem == word):
            behind = stems[place + 1] if place + 1 < len(stems) else ""
            before = stems[max(0, place - 3) : place]
            spent = frozenset({place}) | at["against"] | at["part"]
            if word == "divided":
                yield Operation("ratio", spent, "said")
            elif "as" in before and behind in ("of", "to"):
                yield Operation(kind, spent, "said")  # type: ignore[arg-type]
            elif behind == "of" and _asks_part_of(stems, place):
                yield Operation(kind, spent, "reversed")  # type: ignore[arg-type]
            elif behind == "of" and any(word in stems[place:] for word in ("to", "over", "in")):
                yield Operation(kind, spent, "said")  # type: ignore[arg-type]


_VERBS = frozenset({"is", "was", "are", "were", "had", "has", "consist", "consisted", "represent", "represented"})


def _asks_part_of(stems: list[str], place: int) -> bool:
    """ "What percentage of B is A": the question word stands right before, the verb between the two."""
    asks = any(stem in ("what", "which", "many", "much") for stem in stems[max(0, place - 2) : place])
    verb_before = any(stem in ("is", "was", "are", "were") for stem in stems[:place])
    return asks and not verb_before and any(stem in _VERBS for stem in stems[place:])


def _counted_years(stems: list[str]) -> frozenset[int]:
    """ "the 2 years", "all three years": how many there are is no restriction of its own (it is checked elsewhere)."""
    return frozenset(
        i
        for i, stem in enumerate(stems[:-1])
        if (stem.isdigit() or stem in book().number_words) and stems[i + 1] in ("year", "period")
    )


def _is_phrase(stems: list[str], phrase: tuple[str, ...]) -> bool:
    return any(tuple(stems[i : i + len(phrase)]) == phrase for i in range(len(stems)))
