"""`beleg.toml`: read strictly, completed from the environment, turned into what the rest may rely on.

Every key is declared once, in the section models below; `beleg init` and the check of docs/settings.md read them from there.
Secrets (passwords, keys) are taken from the environment only and are refused in the file.
"""

from __future__ import annotations

import os
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from indexer.catalog_errors import CatalogError
from indexer.places import place_name
from orchestrator.language_model.model_settings import ModelSettings
from qa.audit_signature import KEY_VARIABLE, AuditKey, audit_key
from qa.index_section import KEY_VARIABLE as INDEX_KEY_VARIABLE
from qa.index_section import URL_VARIABLE, IndexSection, with_environment
from qa.llm_section import MODEL_KEY_VARIABLE, LlmSection, model_settings
from qa.oidc_section import CLIENT_SECRET_VARIABLE, OidcSection
from qa.problems import SettingsError
from qa.service_section import ServiceSection
from qa.settings_section import Section

FILE_NAME = "beleg.toml"

Locale = Literal["de", "en", "pl", "ch"]
FiscalYearName = Literal["start", "end"]
ReviewPolicy = Literal["log", "new_shapes", "mixed", "all"]


def _origin(said: str) -> str:
    if not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?", said):
        raise ValueError(f"Die Herkunft {said!r} ist keine; verlangt ist Schema und Name, z. B. https://intranet.example.com.")
    return said


Origin = Annotated[str, AfterValidator(_origin)]
MonthDay = Annotated[str, Field(pattern=r"^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$")]


class WorkspaceSection(Section):
    locale: Locale = Field(
        "de", description="Zahlen- und Datumsschreibweise, wo die Datei nicht selbst entscheidet: de, en, pl, ch."
    )
    fiscal_year_start: MonthDay = Field("01-01", description="Erster Tag des Geschäftsjahres als MM-TT.")
    fiscal_year_named_by: FiscalYearName | None = Field(
        None,
        description="„GJ 2025“ heißt nach dem Jahr des Beginns (start) oder des Endes (end); ohne Angabe fragt Beleg zurück.",
        examples=["start"],
    )
    catalog_url: str | None = Field(
        None,
        description="Adresse des Katalogs; ohne Angabe SQLite unter data/. Kennwörter nur in der Umgebung.",
        examples=["postgresql+psycopg://host/beleg"],
    )


class TenantSection(Section):
    data_dir: str | None = Field(
        None, description="Eigener Ort, relativ zum Arbeitsbereich; sonst data/tenants/<Name>.", examples=["/srv/beleg/nord"]
    )
    locale: Locale | None = Field(None, description="Wie workspace.locale, für diesen Mandanten.", examples=["pl"])
    fiscal_year_start: MonthDay | None = Field(
        None, description="Wie workspace.fiscal_year_start, für diesen Mandanten.", examples=["10-01"]
    )
    fiscal_year_named_by: FiscalYearName | None = Field(
        None, description="Wie workspace.fiscal_year_named_by, für diesen Mandanten.", examples=["start"]
    )
    review: ReviewPolicy = Field(
        "log",
        description="Prüfung durch Menschen: log hält nur fest; new_shapes hält Antworten jeder noch nicht freigegebenen "
        "Abfrageform zurück, mixed nur die über mehrere Tabellen und eigenes SQL, all jede Antwort.",
    )
    origins: list[Origin] = Field(
        [],
        description="Seiten anderer Adressen, die mit Schlüsseln dieses Mandanten fragen dürfen (CORS); ohne Angabe keine.",
        examples=[["https://intranet.example.com"]],
    )
    review_own: bool = Field(False, description="Ob jemand die Antwort auf die eigene Frage freigeben darf.")
    questions: list[str] = Field(
        [], description="Fragen, die die Fragenseite vorschlägt; ohne Angabe macht Beleg Vorschläge aus den eigenen Tabellen."
    )
    personal_levels: list[str] = Field(
        [], description="Zugriffsstufen, bei deren Fragen personenbezogene Werte auch im Protokoll und im Export stehen dürfen."
    )
    llm: bool = Field(True, description="Ob das Sprachmodell von [llm] für diesen Mandanten gefragt wird.")


class LimitsSection(Section):
    max_file_mb: int = Field(512, ge=1, le=1_000_000, description="Größte Datei in MB, die eingelesen wird.")
    max_question_length: int = Field(2_000, ge=1, le=100_000, description="Größte Länge einer Frage in Zeichen.")
    max_result_rows: int = Field(10_000, ge=1, le=1_000_000, description="Größte Zahl der Ergebniszeilen von beleg sql.")
    query_seconds: int = Field(5, ge=1, le=3_600, description="Längste Dauer einer Abfrage in Sekunden.")
    query_memory_mb: int = Field(800, ge=100, le=1_000_000, description="Größter Speicher einer Abfrage in MB.")


class AuditSection(Section):
    url: str | None = Field(
        None,
        description="Adresse des Protokolls; ohne Angabe SQLite unter data/. Kennwörter nur in der Umgebung.",
        examples=["postgresql+psycopg://host/beleg"],
    )
    checkpoint: str = Field(
        "data/audit.checkpoint.json",
        description="Datei außerhalb der Datenbank, die Anzahl und letzten Hash des Protokolls festhält.",
    )


class SettingsFile(Section):
    workspace: WorkspaceSection = WorkspaceSection.model_validate({})
    tenants: dict[str, TenantSection] = Field(default_factory=dict)
    limits: LimitsSection = LimitsSection.model_validate({})
    audit: AuditSection = AuditSection.model_validate({})
    llm: LlmSection = LlmSection.model_validate({})
    service: ServiceSection = ServiceSection.model_validate({})
    index: IndexSection = IndexSection.model_validate({})
    oidc: OidcSection = OidcSection.model_validate({})

    @field_validator("tenants")
    @classmethod
    def _names(cls, tenants: dict[str, TenantSection]) -> dict[str, TenantSection]:
        for name in tenants:
            try:
                place_name(name)
            except CatalogError as error:
                raise ValueError(str(error)) from None
        return tenants


SECTIONS: Mapping[str, type[Section]] = {
    "workspace": WorkspaceSection,
    "tenants.<name>": TenantSection,
    "limits": LimitsSection,
    "audit": AuditSection,
    "llm": LlmSection,
    "service": ServiceSection,
    "index": IndexSection,
    "oidc": OidcSection,
}

ENVIRONMENT: Mapping[str, str] = {
    "BELEG_CATALOG_URL": "workspace.catalog_url",
    "BELEG_AUDIT_URL": "audit.url",
    "BELEG_LLM_BASE_URL": "llm.base_url",
    "BELEG_LLM_MODEL": "llm.model",
    URL_VARIABLE: "index.url",
}
"""Environment variable -> the key of the file it takes the place of."""

STORE_VARIABLES = frozenset({"BELEG_CATALOG_URL", "BELEG_AUDIT_URL"})
"""Those that name where a workspace is kept: a workspace for trying something out must not follow them."""

SECRETS = (CLIENT_SECRET_VARIABLE, MODEL_KEY_VARIABLE, KEY_VARIABLE, INDEX_KEY_VARIABLE)
"""Environment variables that have no key in the file."""


@dataclass(frozen=True)
class Tenant:
    """One tenant with everything inherited and resolved; `data_dir` is absolute and shared with no other tenant."""

    name: str
    data_dir: Path
    locale: Locale
    fiscal_year_start: str
    fiscal_year_named_by: FiscalYearName | None
    review: ReviewPolicy
    review_own: bool
    personal_levels: frozenset[str]
    questions: tuple[str, ...] = ()
    llm: ModelSettings | None = None


@dataclass(frozen=True)
class Settings:
    """A workspace: `root` holds beleg.toml, `data` is root/data; paths are absolute, URLs as SQLAlchemy writes them.

    `sections`: what the file says of single tenants. Which tenants there are, the catalogue knows."""

    root: Path
    workspace: WorkspaceSection
    sections: Mapping[str, TenantSection]
    catalog_url: str
    audit_url: str
    audit_checkpoint: Path
    limits: LimitsSection
    index: IndexSection
    audit_key: AuditKey | None = None
    llm: ModelSettings | None = None
    service: ServiceSection = field(default_factory=lambda: ServiceSection.model_validate({}))
    oidc: OidcSection = field(default_factory=lambda: OidcSection.model_validate({}))
    oidc_client_secret: str | None = None

    @property
    def data(self) -> Path:
        return self.root / "data"

    def tenant(self, name: str) -> Tenant:
        """The settings of a tenant, the workspace's own where the file has no section for it. Raises indexer's BadTenantName."""
        section = self.sections.get(name) or TenantSection.model_validate({})
        return Tenant(
            name=name,
            data_dir=(self.root / (section.data_dir or f"data/tenants/{place_name(name)}")).resolve(),
            locale=section.locale or self.workspace.locale,
            fiscal_year_start=section.fiscal_year_start or self.workspace.fiscal_year_start,
            fiscal_year_named_by=section.fiscal_year_named_by or self.workspace.fiscal_year_named_by,
            review=section.review,
            review_own=section.review_own,
            personal_levels=frozenset(section.personal_levels),
            questions=tuple(section.questions),
            llm=self.llm if section.llm else None,
        )

    def check_places(self, names: Iterable[str]) -> None:
        """No two of these and the configured tenants in one folder or one inside the other, however the path is written
        (links, '..', case, composed letters). Raises SettingsError naming both."""
        tenants = [self.tenant(name) for name in dict.fromkeys((*self.sections, *names))]
        for position, first in enumerate(tenants):
            for second in tenants[position + 1 :]:
                if _overlap(first.data_dir, second.data_dir):
                    raise SettingsError(
                        f"{self.root / FILE_NAME}: die Mandanten „{first.name}“ und „{second.name}“ haben denselben Ort "
                        f"({first.data_dir} und {second.data_dir}); jeder braucht einen eigenen 'data_dir'."
                    )


def month_and_day(text: str) -> tuple[int, int]:
    """ "10-01" -> (10, 1)."""
    month, _, day = text.partition("-")
    return int(month), int(day)


def load_settings(root: Path, environment: Mapping[str, str] | None = None) -> Settings:
    """Reads root/beleg.toml. Raises SettingsError with one sentence that names file and key."""
    environment = os.environ if environment is None else environment
    path = root / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        raise SettingsError(f"{path} fehlt; 'beleg init {root}' legt sie an, --workspace nennt einen anderen Ordner.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} ist nicht lesbar ({error}); Rechte und Zeichensatz (UTF-8) prüfen.") from error
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} ist kein gültiges TOML ({error}); die genannte Stelle berichtigen.") from error
    try:
        file = SettingsFile.model_validate(raw)
    except ValidationError as error:
        raise SettingsError(f"{path}: {_sentence(error.errors()[0])}") from error
    return _resolve(root.resolve(), file, environment)


def _resolve(root: Path, file: SettingsFile, environment: Mapping[str, str]) -> Settings:
    for key, url in (("workspace.catalog_url", file.workspace.catalog_url), ("audit.url", file.audit.url)):
        if url and re.search(r"://[^/@]*:[^/@]+@|[?&]password=", url):
            variable = next(name for name, replaced in ENVIRONMENT.items() if replaced == key)
            raise SettingsError(
                f"{root / FILE_NAME}: '{key}' enthält ein Kennwort; die ganze Adresse gehört in die Umgebung ({variable})."
            )
    settings = Settings(
        root=root,
        workspace=file.workspace,
        sections=file.tenants,
        catalog_url=environment.get("BELEG_CATALOG_URL") or file.workspace.catalog_url or f"sqlite:///{root}/data/catalog.sqlite",
        audit_url=environment.get("BELEG_AUDIT_URL") or file.audit.url or f"sqlite:///{root}/data/audit.sqlite",
        audit_checkpoint=(root / file.audit.checkpoint).resolve(),
        limits=file.limits,
        index=with_environment(file.index, environment),
        audit_key=audit_key(environment),
        llm=model_settings(file.llm, environment, str(root / FILE_NAME)),
        service=file.service,
        oidc=file.oidc,
        oidc_client_secret=environment.get(CLIENT_SECRET_VARIABLE) or None,
    )
    settings.check_places(())
    return settings


def _overlap(first: Path, second: Path) -> bool:
    one, other = ([unicodedata.normalize("NFC", part).casefold() for part in path.parts] for path in (first, second))
    shared = min(len(one), len(other))
    if one[:shared] == other[:shared]:
        return True
    try:
        return first.samefile(second)
    except OSError:  # at least one is not there yet
        return False


def _sentence(error: ErrorDetails) -> str:
    """One German sentence for pydantic's first finding."""
    location = [str(part) for part in error["loc"]]
    key = ".".join(location)
    kind = error["type"]
    if kind == "extra_forbidden":
        return f"der Schlüssel '{key}' ist unbekannt; {_hint(location)}."
    if kind == "literal_error":
        return f"'{key}' ist {error['input']!r}, erlaubt ist nur {error['ctx']['expected'].replace(' or ', ' oder ')}."
    if kind == "string_pattern_mismatch":
        return f"'{key}' ist {error['input']!r}, verlangt ist ein Tag als MM-TT, z. B. \"10-01\"."
    if kind in ("greater_than_equal", "less_than_equal"):
        bound = f"mindestens {error['ctx']['ge']}" if kind == "greater_than_equal" else f"höchstens {error['ctx']['le']}"
        return f"'{key}' ist {error['input']!r}, verlangt ist {bound}."
    if kind == "value_error":
        return str(error["ctx"]["error"])
    wanted = {
        "string_type": "Text in Anführungszeichen",
        "int_type": "eine ganze Zahl",
        "bool_type": "true oder false",
        "list_type": 'eine Liste von Texten, z. B. ["hr"]',
        "model_type": f"ein Abschnitt [{key}]",
        "dict_type": f"ein Abschnitt [{key}]",
    }.get(kind, error["msg"])
    return f"'{key}' ist {error['input']!r}, verlangt ist {wanted}."


def _hint(location: list[str]) -> str:
    """What the unknown key may have meant, from the keys of its own section."""
    from rapidfuzz import fuzz, process  # only when something is wrong: keeps the start fast

    if re.search(r"key|secret|passw|token", location[-1].casefold()):
        return "Geheimnisse gehören in die Umgebung, z. B. BELEG_LLM_API_KEY"
    if len(location) == 1:
        known = list(SettingsFile.model_fields)
    else:
        section = "tenants.<name>" if location[0] == "tenants" else location[0]
        known = list(SECTIONS[section].model_fields)
    near = process.extractOne(location[-1], known, scorer=fuzz.ratio, score_cutoff=60)
    return f"gemeint ist wohl '{near[0]}'" if near else f"bekannt sind {', '.join(known)}"
