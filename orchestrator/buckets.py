"""Which group a day or period falls into: a calendar period, or for how long it is past a given day."""

from __future__ import annotations

from datetime import date, datetime

from orchestrator.evidence import Scalar
from orchestrator.period_mention import span as calendar_period
from orchestrator.plan import Bucket
from parsers.periods import Period, parse_period

AGE_BORDERS = (0, 30, 60, 90)
"""Days past the day: up to the first: not past; more than the last: the last group."""


def period_around(bucket: Bucket, day: date) -> Period:
    """The calendar period of the bucket's grain that a day lies in; the label names it in every language alike."""
    if bucket.grain == "age":
        raise ValueError("an age is no calendar period")
    if bucket.grain == "week":
        year, week, _ = day.isocalendar()
        return calendar_period("week", year, week)
    return calendar_period(bucket.grain, day.year, (day.month - 1) // _MONTHS[bucket.grain] + 1)


_MONTHS = {"month": 1, "quarter": 3, "half_year": 6, "year": 12}


def bucket_of(bucket: Bucket, value: Scalar, span: tuple[date, date] | None = None) -> str | None:
    """The group of a stored day, moment or period (by its label, or by `span`, its first and last day); None for a blank.
    Raises ValueError for a value that lies in no single group."""
    if value is None:
        return None
    if span is None:
        span = days_of(value)
    first, last = span
    if bucket.grain == "age":
        if bucket.as_of is None or first != last:
            raise ValueError("an age needs a day")
        past = (bucket.as_of - first).days
        return bucket.labels[sum(past > border for border in AGE_BORDERS)]
    around = period_around(bucket, first)
    if last > around.end:
        raise ValueError(f"{value} is longer than a {bucket.grain}")
    return around.label


def days_of(value: Scalar) -> tuple[date, date]:
    """First and last day of a stored day, moment or period label. Raises ValueError for anything else."""
    if isinstance(value, datetime):
        return value.date(), value.date()
    if isinstance(value, date):
        return value, value
    period = parse_period(value) if isinstance(value, str) else None
    if period is None:
        raise ValueError(f"{value!r} is no day or period")
    return period.start, period.end


def bucket_order(bucket: Bucket, label: str) -> int:
    """Where a group stands among the others: by time, ages from not past to the oldest."""
    if bucket.grain == "age":
        return bucket.labels.index(label)
    return days_of(label)[0].toordinal()


def bucket_text(bucket: Bucket) -> str:
    """For the recipe of a group's name: "month", or "age|2024-09-30|" and the names."""
    if bucket.grain != "age":
        return bucket.grain
    return "|".join(("age", bucket.as_of.isoformat() if bucket.as_of else "", *bucket.labels))


def bucket_from_text(text: str) -> Bucket:
    """Inverse of bucket_text."""
    grain, *rest = text.split("|")
    if grain != "age":
        return Bucket(grain)  # type: ignore[arg-type]
    return Bucket("age", date.fromisoformat(rest[0]), tuple(rest[1:]))
