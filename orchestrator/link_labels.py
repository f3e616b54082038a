"""Row labels of reports ("Sonstige betriebliche Aufwendungen") in another form: inflected, as a compound or taken apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from orchestrator.compounds import LINKING
from orchestrator.lexicon import Language
from orchestrator.link_names import Names, ValueName, word_keys
from orchestrator.question import Token, tokenize
from orchestrator.scope import VisibleColumn, VisibleTable
from orchestrator.value_names import ValueNames

_OF = frozenset({"der", "des", "die", "das", "den", "dem", "von", "vom", "fuer", "zu", "zum", "zur", "of", "the", "for"})
"""Words between the parts of one name ("Aufwand für Material")."""

Labels = Mapping[str, tuple[str, ...]]
"""Key of a label's words -> the labels that have it."""

_MOST_LABELS = 400
"""A column with more different texts than this lists things, it does not label the rows of a report."""


def find_labels(names: Names, tokens: Sequence[Token], language: Language) -> tuple[ValueName, ...]:
    """Labels that the tokens name by their words' dictionary forms or parts ("Aufwand für Material": Materialaufwand); of one
    column only where just one label fits."""
    if any(token.folded in LINKING and token.folded not in _OF for token in tokens):
        return ()  # "Anteil Export an den Erlösen" names two things
    keys = word_keys(tokens, tuple(dict.fromkeys((language, "de"))))
    found: list[ValueName] = []
    for table, column, labels in _label_columns(names):
        fitting = {label for key in keys for label in labels.get(key, ())}
        if len(fitting) == 1:
            found.append(ValueName(table, column, fitting.pop()))
    return tuple(found)


def _label_columns(names: Names) -> tuple[tuple[str, VisibleColumn, Labels], ...]:
    """Table, label column and its labels by key, of every tidied report; made once and kept with the names."""
    kept: tuple[tuple[str, VisibleColumn, Labels], ...] | None = names.kept.get(("labels", None))
    if kept is None:
        found = ((name, *each) for name, table in names.tables.items() for each in _labels(table, names.values.get(name)))
        kept = names.kept["labels", None] = tuple(found)
    return kept


def _labels(table: VisibleTable, values: ValueNames | None) -> Iterable[tuple[VisibleColumn, Labels]]:
    """Each label column of a tidied report with its labels by key."""
    if values is None or table.stored.table.layout != "tidy":
        return
    for column in table.columns:
        if column.column.role == "dimension":
            hits = values.of_column(column.sql_name)
            texts = tuple(dict.fromkeys(hit.stored for hit in hits if isinstance(hit.stored, str) and not hit.total_only))
            if 0 < len(texts) <= _MOST_LABELS:
                yield column, _by_key(texts)


@lru_cache(maxsize=512)
def _by_key(labels: tuple[str, ...]) -> Labels:
    keyed: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        tokens = tokenize(label)
        for key in word_keys(tokens, ("de",)) if tokens else ():
            keyed[key].append(label)
    return {key: tuple(found) for key, found in keyed.items()}
