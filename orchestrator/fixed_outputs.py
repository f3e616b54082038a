"""A shown value must come from a cell: an output that the asker (or a model) wrote down as a fixed value is refused."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.sql_algebra import Constant, Expression, Query, QuerySource, Reference, Union, children
from orchestrator.sql_refusals import NoProvenance, shown


def refuse_fixed_outputs(query: Query) -> None:
    """Raises NoProvenance if an output, in any branch of a UNION, is a fixed value; labels without digits may be."""
    for index, output in enumerate(query.outputs):
        for value in _fixed_values(query, index):
            if (
                not (isinstance(value.value, str) and not any(letter.isdigit() for letter in value.value))
                and value.value is not None
            ):
                raise NoProvenance(
                    "constant", f"Die Ausgabe {shown(output.name)} stammt aus keiner Zelle.", "Zeigen Sie nur Werte aus Zellen."
                )


def _fixed_values(query: Query, index: int) -> Iterator[Constant]:
    """The fixed values that an output is computed from, where it is computed from nothing else."""
    if isinstance(query, Union):
        for branch in query.branches:
            yield from _fixed_values(branch, index)
        return
    inner = {source.number: source.query for source in query.sources if isinstance(source, QuerySource)}
    yield from _fixed(query.outputs[index].expression, inner)


def _fixed(expression: Expression, inner: dict[int, Query]) -> Iterator[Constant]:
    if isinstance(expression, Constant):
        yield expression
    elif isinstance(expression, Reference) and expression.source in inner and isinstance(expression.column, int):
        yield from _fixed_values(inner[expression.source], expression.column)
    else:
        parts = list(children(expression))
        found = [list(_fixed(part, inner)) for part in parts]
        if parts and all(found):
            yield from (one for several in found for one in several)
