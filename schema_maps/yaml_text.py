"""YAML whose scalars stay text: a header `No`, `2024` or `1.50` is a name, never a truth value or number."""

from __future__ import annotations

from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from parsers.problem import Problem
from schema_maps.known_tables import SchemaMapError

Model = TypeVar("Model", bound=BaseModel)


class RepeatedKey(yaml.constructor.ConstructorError):
    """A mapping has the same key twice; `problem` says so in German."""


class _TextLoader(yaml.BaseLoader):
    """BaseLoader gives every scalar as text; repeated keys, which YAML would drop silently, are errors."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key in seen:
                raise RepeatedKey(None, None, f"„{key}“ steht zweimal da", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(text: str, where: str) -> Any:
    """Raises SchemaMapError that names the line."""
    try:
        return yaml.load(text, _TextLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}, Zeile {mark.line + 1}" if mark is not None else where
        if isinstance(error, RepeatedKey):
            message, hint = f"Kein gültiges YAML: {error.problem}.", "Einen der beiden Schlüssel entfernen."
        else:
            message, hint = "Kein gültiges YAML.", "Einrückung, Doppelpunkte, Klammern und Anführungszeichen prüfen."
        raise SchemaMapError(Problem("bad_yaml", place, message, hint)) from error


def validated(model: type[Model], data: object, where: str) -> Model:
    """Raises SchemaMapError with one problem for each place that does not fit."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise SchemaMapError(
            *(
                Problem(
                    "bad_schema_map",
                    f"{where}, {'.'.join(map(str, item['loc'])) or 'oberste Ebene'}",
                    _message(item["type"], item.get("ctx", {}).get("error")),
                    "",
                )
                for item in error.errors()
            )
        ) from error


def write_yaml(data: object) -> str:
    """Readable and stable: keys in the given order, umlauts as they are, texts that would read as something else quoted."""
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=130, default_flow_style=None)


_WANTED = {
    "string_type": "Text",
    "string_too_short": "ein nicht leerer Text",
    "dict_type": "Paare aus Schlüssel und Wert",
    "model_type": "Paare aus Schlüssel und Wert",
    "list_type": "eine Liste",
    "tuple_type": "eine Liste",
    "literal_error": "eines der vorgesehenen Wörter",
    "bool_parsing": "true oder false",
    "int_parsing": "eine ganze Zahl",
}
"""Kind of pydantic's finding -> what is wanted there."""


def _message(kind: str, reason: object) -> str:
    """`reason`: what a check of our own says, in German."""
    if kind == "extra_forbidden":
        return "Dieser Schlüssel ist nicht vorgesehen; Schreibweise prüfen oder entfernen."
    if kind == "missing":
        return "Diese Angabe fehlt."
    if reason is not None:
        return f"Der Wert passt nicht ({reason})."
    return f"Der Wert passt nicht; verlangt ist {_WANTED[kind]}." if kind in _WANTED else "Der Wert hat nicht die verlangte Form."
