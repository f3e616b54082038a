"""Which group a day or period falls into: a calendar period, or for how long it is past a given day."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from orchestrator.evidence import Scalar
from orchestrator.plan import Bucket
from parsers.periods import Period, parse_period

AGE_BORDERS = (0, 30, 60, 90)
"""Days past the day: up to the first: not past; more than the last: the last group."""


def period_around(bucket: Bucket, day: date) -> Period:
    """The calendar period of the bucket's grain that a day lies in; the label names it in every language alike."""
    match bucket.grain:
        case "week":
            year, week, _ = day.isocalendar()
            start = date.fromisocalendar(year, week, 1)
            return Period(start, start + timedelta(days=6), "week", f"KW {week:02d} {year}")
        case "month":
            return _months(day, 1, f"{day.month:02d}.{day.year}")
        case "quarter":
            return _months(day, 3, f"Q{(day.month - 1) // 3 + 1} {day.year}")
        case "half_year":
            return _months(day, 6, f"H{(day.month - 1) // 6 + 1} {day.year}")
        case "year":
            return _months(day, 12, str(day.year))
    raise ValueError(f"{bucket.grain} is no calendar period")


def _months(day: date, size: int, label: str) -> Period:
    first = (day.month - 1) // size * size + 1
    after = date(day.year + 1, 1, 1) if first + size > 12 else date(day.year, first + size, 1)
    grain = {1: "month", 3: "quarter", 6: "half_year", 12: "year"}[size]
    return Period(date(day.year, first, 1), after - timedelta(days=1), grain, label)  # type: ignore[arg-type]


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
