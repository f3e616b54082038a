"""Reads a goldset file strictly: unknown keys, repeated keys and values of the wrong form are errors that name their place.

Scalars keep the text that stands in the file (`1.50` stays "1.50", `no` stays "no"), so no number passes through a float.
The parts about meaning (`schema_map`, `relations`, `synonyms`) are read as `beleg schema-map apply` reads them.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from goldsets.goldset import (
    Binding,
    Case,
    CorpusFile,
    Expectation,
    Goldset,
    GoldsetError,
    GoldsetSettings,
    Locale,
    Mode,
    Source,
    Status,
    TopRow,
)
from indexer.stored import Kind, VersionStatus
from schema_maps.contract import Contract, read_contract
from schema_maps.known_tables import SchemaMapError
from schema_maps.yaml_text import read_yaml


def _list_of(value: object) -> object:
    """A single value stands for a list of one."""
    return [value] if isinstance(value, str) else value


class _Model(BaseModel):
    """Every scalar arrives as text; a key without a value counts as left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, data: object) -> object:
        return {key: value for key, value in data.items() if value not in ("", "null", "~")} if isinstance(data, dict) else data


class _Version(_Model):
    label: str | None = None
    date: datetime.date | None = None
    status: VersionStatus | None = None


class _CorpusFile(_Model):
    file: str
    tenant: str
    access_level: str | None = None
    kind: Kind = "other"
    version: _Version = _Version()
    sheets: dict[str, str] = Field(default_factory=dict)
    locale: Locale | None = None

    @model_validator(mode="after")
    def _has_a_level(self) -> _CorpusFile:
        if self.access_level is None and not self.sheets:
            raise ValueError("'access_level' fehlt; nur wenn jedes Tabellenblatt unter 'sheets' eine hat, darf es fehlen")
        return self


class _Binding(_Model):
    file: str
    version: str


class _Source(_Model):
    file: str
    sheet: str | None = None
    cells: tuple[str, ...]
    version: str | None = None


class _Top(_Model):
    file: str
    sheet: str | None = None
    row: int


class _Expect(_Model):
    status: Annotated[tuple[Status, ...], BeforeValidator(_list_of), Field(min_length=1)]
    rows: tuple[tuple[str, ...], ...] | None = None
    ordered: bool = False
    unit: str | None = None
    sources: tuple[_Source, ...] | None = None
    code: str | None = None
    top: tuple[_Top, ...] = ()


class _Case(_Model):
    id: str
    question: str
    tenant: str
    levels: tuple[str, ...]
    mode: Mode = "sql"
    after: str | None = None
    asked_on: datetime.date | None = None
    expect: _Expect


class _Settings(_Model):
    fiscal_year_start: Annotated[str, Field(pattern=r"^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$")] | None = None
    fiscal_year_named_by: Annotated[str, Field(pattern="^(start|end)$")] | None = None
    review: Annotated[str, Field(pattern="^(log|new_shapes|mixed|all)$")] = "log"


class _Goldset(_Model):
    goldset: str
    corpus: tuple[_CorpusFile, ...]
    binding: tuple[_Binding, ...] = ()
    schema_map: Any = None  # these three are read by schema_maps.contract
    relations: Any = None
    synonyms: Any = None
    settings: _Settings = _Settings()
    cases: tuple[_Case, ...]


def read_goldset(path: Path) -> Goldset:
    """Raises GoldsetError with one sentence."""
    try:
        raw = read_yaml(path.read_text(encoding="utf-8-sig"), str(path))
        contract = read_contract(path)
        file = _Goldset.model_validate(raw)
    except (OSError, UnicodeDecodeError) as error:
        raise GoldsetError(f"Das Goldset {path} ist nicht lesbar ({error}); Pfad, Rechte und Zeichensatz prüfen.") from error
    except SchemaMapError as error:
        raise GoldsetError(str(error)) from error
    except ValidationError as error:
        raise GoldsetError(f"{path}: {_sentence(error, raw)}") from error
    goldset = _to_goldset(path.resolve(), file, contract)
    _check(goldset)
    return goldset


def _to_goldset(path: Path, file: _Goldset, contract: Contract) -> Goldset:
    folder = path.parent
    return Goldset(
        name=file.goldset,
        path=path,
        corpus=tuple(
            CorpusFile(
                path=folder / entry.file,
                tenant=entry.tenant,
                access_level=entry.access_level,
                kind=entry.kind,
                version_label=entry.version.label,
                version_date=entry.version.date,
                version_status=entry.version.status,
                sheet_levels=entry.sheets,
                locale=entry.locale,
            )
            for entry in file.corpus
        ),
        binding=tuple(Binding(folder / entry.file, entry.version) for entry in file.binding),
        contract=contract,
        settings=GoldsetSettings(**file.settings.model_dump()),
        cases=tuple(_to_case(case) for case in file.cases),
    )


def _to_case(case: _Case) -> Case:
    expect = case.expect
    return Case(
        case_id=case.id,
        question=case.question,
        tenant=case.tenant,
        levels=frozenset(case.levels),
        mode=case.mode,
        after=case.after,
        asked_on=case.asked_on,
        expect=Expectation(
            statuses=expect.status,
            rows=expect.rows,
            ordered=expect.ordered,
            unit=expect.unit,
            sources=None if expect.sources is None else tuple(Source(**source.model_dump()) for source in expect.sources),
            code=expect.code,
            top=tuple(TopRow(**row.model_dump()) for row in expect.top),
        ),
    )


def _check(goldset: Goldset) -> None:
    """What the form of single entries does not show: names used twice, files that are missing, chains that are none."""
    for message in _flaws(goldset):
        raise GoldsetError(f"{goldset.path}: {message}")


def _flaws(goldset: Goldset) -> Iterator[str]:
    ids = [case.case_id for case in goldset.cases]
    for case_id in dict.fromkeys(ids):
        if ids.count(case_id) > 1:
            yield f"die Fallkennung „{case_id}“ kommt mehrfach vor; jede darf nur einmal stehen."
    for entry in goldset.corpus:
        if not entry.path.is_file():
            yield f"die Datei {entry.path} aus 'corpus' gibt es nicht; Pfade gelten ab der Goldset-Datei."
    files = {entry.path for entry in goldset.corpus}
    for file in (
        *(s.file for s in goldset.contract.schema_map),
        *(e.file for r in goldset.contract.relations for e in (r.many, r.one)),
    ):
        if goldset.path.parent / file not in files:
            yield f"'schema_map' oder 'relations' nennt {file}, das nicht in 'corpus' steht; so schreiben wie dort."
    corpus = {(entry.path, entry.label) for entry in goldset.corpus}
    for binding in goldset.binding:
        if (binding.path, binding.version) not in corpus:
            yield f"'binding' nennt {binding.path.name} als „{binding.version}“; so steht die Datei nicht in 'corpus'."
    followed: dict[str, str] = {}
    for position, case in enumerate(goldset.cases):
        if case.after is None:
            continue
        if case.after not in ids[:position]:
            yield f"Fall „{case.case_id}“ folgt auf „{case.after}“, der nicht davor steht; die Reihenfolge berichtigen."
        if case.after in followed:
            others = f"„{followed[case.after]}“ und „{case.case_id}“"
            yield f"auf Fall „{case.after}“ folgen {others}; eine Kette hat nach jedem Fall höchstens einen."
        followed[case.after] = case.case_id


def _sentence(error: ValidationError, raw: object) -> str:
    finding = error.errors()[0]
    place = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in finding["loc"])
    if finding["loc"][:1] == ("cases",) and len(finding["loc"]) > 1 and isinstance(raw, Mapping):
        case = raw["cases"][finding["loc"][1]]
        place += f" (Fall „{case.get('id', '?')}“)" if isinstance(case, Mapping) else ""
    match finding["type"]:
        case "extra_forbidden":
            return f"der Schlüssel {place} ist unbekannt; die erlaubten stehen in docs/goldsets.md."
        case "missing":
            return f"der Schlüssel {place} fehlt; er ist Pflicht."
        case "value_error":
            return f"{place}: {finding['ctx']['error']}."
    return f"{place} hat den Wert {finding['input']!r}, der dort nicht erlaubt ist ({finding['msg']})."
