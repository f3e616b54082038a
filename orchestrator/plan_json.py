"""Plans as JSON data and back, for the audit log and for replay: every type of orchestrator.plan, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from orchestrator import plan as plan_language
from orchestrator.plan import AggregatePlan, CatalogPlan, DifferencePlan, LikenessPlan, ListPlan, Plan, SearchPlan
from parsers.periods import Period

_TYPES: Mapping[str, type[Any]] = {
    each.__name__: each for each in (*vars(plan_language).values(), Period) if isinstance(each, type) and is_dataclass(each)
}
_LITERALS: Mapping[str, tuple[str, ...]] = {
    "OneOf": ("values",),
    "Compare": ("value",),
    "Within": ("period",),
    "TextMatch": ("text",),
    "Having": ("value",),
    "HavingIn": ("value",),
    "Order": ("limit",),
    "Beside": ("value",),
    "Bucket": ("as_of", "labels"),
    "Window": ("rank_of",),
    "ListPlan": ("limit",),
    "LikenessPlan": ("most",),
    "SearchPlan": ("topic", "variants"),
    "Term": ("version_id",),
    "DifferencePlan": ("from_version", "to_version"),
}
"""Fields that hold what a question says in particular: values, periods, limits, versions."""


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """Every object carries its type as `is`; decimals and days are marked, fields at their default left out."""
    encoded: dict[str, Any] = _encode(plan)
    return encoded


def plan_from_json(data: Mapping[str, Any]) -> Plan:
    """Inverse of plan_to_json. Raises ValueError for anything else."""
    try:
        plan = _decode(data)
    except (KeyError, TypeError, ArithmeticError) as error:
        raise ValueError(f"not a plan: {error}") from error
    if not isinstance(plan, AggregatePlan | ListPlan | DifferencePlan | CatalogPlan | LikenessPlan | SearchPlan):
        raise ValueError(f"not a plan: {type(plan).__name__}")
    return plan


def without_literals(data: Any) -> Any:
    """The shape of a plan in its JSON form: each literal is `?`, a list of several `?…`; an output that a `Having` compares
    with is no literal."""
    if isinstance(data, list):
        return [without_literals(each) for each in data]
    if not isinstance(data, Mapping):
        return data
    kind = data.get("is", "")
    lifted = () if kind == "Having" and data.get("against_output") else _LITERALS.get(kind, ())
    said = {key: without_literals(value) for key, value in data.items()}
    return said | {key: _lifted(data[key]) for key in lifted if data.get(key) is not None}


def _lifted(value: Any) -> str:
    return "?…" if isinstance(value, list) and len(value) > 1 else "?"


def _encode(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        said = {each.name: getattr(value, each.name) for each in fields(value)}
        defaults = {each.name: each.default for each in fields(value) if each.default is not MISSING}
        kept = {name: _encode(each) for name, each in said.items() if name not in defaults or each != defaults[name]}
        return {"is": type(value).__name__, **kept}
    if isinstance(value, tuple):
        return [_encode(each) for each in value]
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, datetime):
        return {"moment": value.isoformat()}
    if isinstance(value, date):
        return {"day": value.isoformat()}
    if value is None or isinstance(value, str | bool | int):
        return value
    raise TypeError(f"a plan holds no {type(value).__name__}")


def _decode(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(_decode(each) for each in data)
    if not isinstance(data, Mapping):
        return data
    if "is" in data:
        return _TYPES[data["is"]](**{key: _decode(value) for key, value in data.items() if key != "is"})
    if "decimal" in data:
        return Decimal(data["decimal"])
    return datetime.fromisoformat(data["moment"]) if "moment" in data else date.fromisoformat(data["day"])
