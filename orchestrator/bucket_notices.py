"""What of each calendar period that groups a result the data, and the question, hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from orchestrator.buckets import days_of, period_around
from orchestrator.coverage import data_bounds, missing_part
from orchestrator.outcome import Notice, Stop, Stopped
from orchestrator.plan import Bucket, ColumnRef, Within
from orchestrator.run_buckets import read_periods
from orchestrator.run_context import RunContext
from orchestrator.run_terms import TermResult
from parsers.table import ColumnType


def bucket_notices(
    context: RunContext, result: TermResult, ref: ColumnRef, bucket: Bucket, labels: Sequence[str]
) -> Iterator[Notice]:
    """`partial_period` for each shown period of which the data, or the question, hold only a part. Raises Stopped where periods
    of the column contain each other (quarters beside their months)."""
    if bucket.grain == "age":
        return
    tables = result.tables
    asked = next((c for c in result.term.conditions if isinstance(c, Within) and c.column == ref), None)
    if tables.column(ref).type is ColumnType.PERIOD:
        spans = list(read_periods(tables.tables[ref.table].stored.segment, ref.column))
        if asked is not None and not asked.negated:
            spans = [span for span in spans if asked.period.start <= span[0] and span[1] <= asked.period.end]
        for (_, first_end, first), (second_start, _, second) in pairwise(spans):
            if second_start <= first_end:
                raise Stopped(Stop("clarify", "ambiguous_period", "overlapping_periods", (first, second)))
    else:
        bounds = data_bounds(context, tables.tables[ref.table], ref)
        spans = [bounds] if bounds is not None else []
        if asked is not None and not asked.negated:
            start, end = asked.period.start, asked.period.end
            spans = [(max(start, first), min(end, last), text) for first, last, text in spans]
    for label in labels:
        around = period_around(bucket, days_of(label)[0])
        inside = [span for span in spans if span[0] <= around.end and span[1] >= around.start]
        yield from missing_part(around, inside)
