"""Row labels of reports ("Sonstige betriebliche Aufwendungen") in another form: inflected, as a compound or taken apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from orchestrator.compounds import LINKING
from orchestrator.lexicon import Language
from orchestrator.link_names import Names, ValueName, word_keys
from orchestrator.question import Token, tokenize
from orchestrator.scope import VisibleTable
from orchestrator.value_names import ValueNames

_OF = frozenset({"der", "des", "die", "das", "den", "dem", "von", "vom", "fuer", "zu", "zum", "zur", "of", "the", "for"})
"""Words between the parts of one name ("Aufwand für Material")."""

_MOST_LABELS = 400
"""A column with more different texts than this lists things, it does not label the rows of a report."""


def find_labels(names: Names, tokens: Sequence[Token], language: Language) -> tuple[ValueName, ...]:
    """Labels that the tokens name by their words' dictionary forms or parts ("Aufwand für Material": Materialaufwand); of one
    column only where just one label fits."""
    if any(token.folded in LINKING and token.folded not in _OF for token in tokens):
        return ()  # "Anteil Export an den Erlösen" names two things
    keys = word_keys(tokens, tuple(dict.fromkeys((language, "de"))))
    found: list[ValueName] = []
    for sql_name, table in names.tables.items():
        for column, labels in _labels(table, names.values.get(sql_name)):
            fitting = {label for key in keys for label in labels.get(key, ())}
            visible = table.column(column)
            if len(fitting) == 1 and visible is not None:
                found.append(ValueName(sql_name, visible, fitting.pop()))
    return tuple(found)


def _labels(table: VisibleTable, values: ValueNames | None) -> Iterable[tuple[str, Mapping[str, tuple[str, ...]]]]:
    """Each label column of a tidied report with its labels by key."""
    if values is None or table.stored.table.layout != "tidy":
        return
    for column in table.columns:
        if column.column.role == "dimension":
            hits = values.of_column(column.sql_name)
            texts = tuple(dict.fromkeys(hit.stored for hit in hits if isinstance(hit.stored, str) and not hit.total_only))
            if 0 < len(texts) <= _MOST_LABELS:
                yield column.sql_name, _by_key(texts)


@lru_cache(maxsize=512)
def _by_key(labels: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    keyed: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        tokens = tokenize(label)
        for key in word_keys(tokens, ("de",)) if tokens else ():
            keyed[key].append(label)
    return {key: tuple(found) for key, found in keyed.items()}
