"""What people hand in to be approved: a YAML with `schema_map`, `relations` and `synonyms`, as goldsets have it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from parsers.problem import Problem
from schema_maps.known_tables import SchemaMapError
from schema_maps.map_file import LevelsField, OptionalText, Strict, Text, Texts, empty_is_none
from schema_maps.schema_map import Aggregation
from schema_maps.yaml_text import read_yaml, validated

# Keys of a goldset file that say nothing about the schema map.
_GOLDSET_KEYS = frozenset({"goldset", "binding", "settings", "cases"})


def base_name(path: str) -> str:
    """ "data/korrektur/bericht.xlsx" -> "bericht.xlsx"; both kinds of slashes."""
    return PurePosixPath(path.replace("\\", "/")).name


class ContractColumn(Strict):
    """`name` left out: the header's own name stands, and only unit, synonyms or levels are said.
    `personal` left out: as it stands."""

    name: OptionalText = None
    unit: OptionalText = None
    synonyms: Texts = ()
    levels: LevelsField = Field(default_factory=dict)
    aggregation: Annotated[Aggregation | None, BeforeValidator(empty_is_none)] = None
    personal: Annotated[bool | None, BeforeValidator(empty_is_none)] = None


class ContractSheet(Strict):
    file: Text
    sheet: OptionalText = None
    columns: dict[str, ContractColumn] = Field(default_factory=dict)
    levels: LevelsField = Field(default_factory=dict)

    @field_validator("levels")
    @classmethod
    def _has_filters(cls, levels: dict[str, dict[str, tuple[str, ...]]]) -> dict[str, dict[str, tuple[str, ...]]]:
        for level, rows in levels.items():
            if not rows or any(not values for values in rows.values()):
                raise ValueError(f"die Stufe „{level}“ braucht hier einen Zeilenfilter, z. B. {{Niederlassung: [Hamburg]}}")
        return levels

    @property
    def document(self) -> str:
        return base_name(self.file)


class ContractEnd(Strict):
    file: Text
    sheet: OptionalText = None
    column: Text

    @property
    def document(self) -> str:
        return base_name(self.file)


class ContractRelation(Strict):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    many: ContractEnd = Field(alias="from")
    one: ContractEnd = Field(alias="to")


class _CorpusFile(BaseModel):
    file: str
    tenant: str


class Contract(Strict):
    """`corpus` only tells which file belongs to which tenant where one file name occurs in several."""

    schema_map: tuple[ContractSheet, ...] = ()
    relations: tuple[ContractRelation, ...] = ()
    synonyms: dict[Text, dict[Text, Texts]] = Field(default_factory=dict)
    corpus: tuple[_CorpusFile, ...] = ()

    def for_tenant(self, tenant: str) -> Contract:
        """Only what concerns one tenant: entries of its files, where the corpus says whose they are, and its synonyms."""
        files = {entry.file for entry in self.corpus if entry.tenant == tenant}
        mine = self if not self.corpus else self.for_files(files)
        return mine.model_copy(update={"synonyms": {t: words for t, words in self.synonyms.items() if t == tenant}})

    def for_files(self, files: Collection[str]) -> Contract:
        """Only the entries whose `file`, as written, is one of `files`."""
        sheets = tuple(sheet for sheet in self.schema_map if sheet.file in files)
        relations = tuple(r for r in self.relations if r.many.file in files and r.one.file in files)
        return self.model_copy(update={"schema_map": sheets, "relations": relations})


def read_contract(path: Path) -> Contract:
    """Raises SchemaMapError: unreadable, no YAML, unknown keys, values of the wrong form."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise SchemaMapError(Problem("unreadable", str(path), "Die Datei gibt es nicht.", "Den Pfad prüfen.")) from error
    except OSError as error:
        raise SchemaMapError(Problem("unreadable", str(path), "Die Datei ist nicht lesbar.", "Die Rechte prüfen.")) from error
    except UnicodeDecodeError as error:
        hint = "Eine YAML-Datei mit schema_map, relations oder synonyms nennen, gespeichert als UTF-8."
        raise SchemaMapError(Problem("unreadable", path.name, "Die Datei ist kein Text in UTF-8.", hint)) from error
    data = read_yaml(text, path.name)
    if not isinstance(data, Mapping):
        problem = Problem(
            "bad_schema_map",
            path.name,
            "Erwartet werden „schema_map“, „relations“ oder „synonyms“.",
            "Eine YAML-Datei mit einem dieser Schlüssel nennen.",
        )
        raise SchemaMapError(problem)
    return validated(Contract, {key: value for key, value in data.items() if key not in _GOLDSET_KEYS}, path.name)


def parse_contract(
    schema_map: Sequence[Mapping[str, Any]] = (),
    relations: Sequence[Mapping[str, Any]] = (),
    synonyms: Mapping[str, Mapping[str, Any]] | None = None,
    where: str = "Schema-Map",
) -> Contract:
    """The same from parts already read, all keys and scalars as text. Raises SchemaMapError."""
    return validated(
        Contract, {"schema_map": list(schema_map), "relations": list(relations), "synonyms": dict(synonyms or {})}, where
    )
