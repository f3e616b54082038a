"""`[llm]` of `beleg.toml`: which language model is asked, and within which bounds. Without it nothing is sent anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from pydantic import Field

from orchestrator.language_model.model_settings import ModelSettings, StructuredOutput
from qa.problems import SettingsError
from qa.settings_section import Section

MODEL_KEY_VARIABLE = "BELEG_LLM_API_KEY"


class LlmSection(Section):
    base_url: str | None = Field(
        None,
        description="Adresse eines OpenAI-kompatiblen Sprachmodells; ohne Angabe wird nie etwas irgendwohin gesendet.",
        examples=["http://localhost:8000/v1"],
    )
    model: str | None = Field(None, description="Name des Sprachmodells beim Server.", examples=["name-des-modells"])
    structured_output: StructuredOutput = Field(
        "auto", description="Wie der Server die Form der Antwort erfährt: auto, json_schema, json_object, grammar, none."
    )
    seed: int = Field(42, ge=0, description="Startwert, der mit jeder Anfrage gesendet wird; die Temperatur ist 0.")
    timeout_seconds: int = Field(20, ge=1, le=600, description="Längste Dauer einer Anfrage samt Wiederholungen in Sekunden.")
    retries: int = Field(2, ge=0, le=10, description="Wiederholungen nach einem vorübergehenden Fehler des Servers.")
    prompt_tokens: int = Field(6_000, ge=500, le=1_000_000, description="Größte Länge einer Anfrage in Token (Obergrenze).")
    answer_tokens: int = Field(700, ge=50, le=100_000, description="Größte Länge einer Antwort des Modells in Token.")
    tokens_per_question: int = Field(50_000, ge=0, description="Token, die eine Frage verbrauchen darf; 0: unbegrenzt.")
    tokens_per_day: int = Field(2_000_000, ge=0, description="Token, die ein Mandant am Tag verbrauchen darf; 0: unbegrenzt.")
    cents_per_day: int = Field(0, ge=0, description="Kosten, die ein Mandant am Tag verursachen darf, in Cent; 0: unbegrenzt.")
    input_price_cents: int = Field(0, ge=0, description="Preis von einer Million gesendeter Token in Cent.")
    output_price_cents: int = Field(0, ge=0, description="Preis von einer Million erzeugter Token in Cent.")
    concurrency: int = Field(2, ge=1, le=1_000, description="Anfragen, die ein Mandant zugleich stellt.")
    breaker_failures: int = Field(5, ge=1, description="Fehler in Folge, nach denen das Modell eine Weile nicht gefragt wird.")
    breaker_seconds: int = Field(60, ge=1, description="Dauer dieser Weile in Sekunden.")
    cross_check: bool = Field(
        False,
        description="Ob das Modell auch gefragt wird, wo die Regeln antworten; bei verschiedenen Lesarten fragt Beleg zurück.",
    )
    samples: int = Field(
        1, ge=1, le=9, description="Wie oft das Modell dieselbe Frage liest; es zählt nur, worin die Mehrheit übereinstimmt."
    )
    free_sql: bool = Field(
        False, description="Ob das Modell auch SQL vorschlagen darf; was die Plansprache nicht kennt, wartet dann auf Prüfung."
    )
    prose: bool = Field(False, description="Ob das Modell den Antwortsatz formuliert; Zahlen setzt immer Beleg ein.")
    examples: int = Field(3, ge=0, le=20, description="Geprüfte ähnliche Fragen des Mandanten, die als Beispiele mitgehen.")


def model_settings(section: LlmSection, environment: Mapping[str, str], file: str) -> ModelSettings | None:
    """None where no model is set. Raises SettingsError for half a setting or an address that is none."""
    base_url = environment.get("BELEG_LLM_BASE_URL") or section.base_url
    model = environment.get("BELEG_LLM_MODEL") or section.model
    if base_url is None and model is None:
        return None
    if base_url is None or model is None:
        missing = "llm.model" if model is None else "llm.base_url"
        raise SettingsError(f"{file}: '{missing}' fehlt; ein Sprachmodell braucht 'base_url' und 'model'.")
    address = urlsplit(base_url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise SettingsError(f"{file}: 'llm.base_url' ist keine Adresse; verlangt ist etwa \"http://localhost:8000/v1\".")
    if address.username or address.password or address.query:
        raise SettingsError(f"{file}: 'llm.base_url' enthält ein Geheimnis; es gehört in die Umgebung ({MODEL_KEY_VARIABLE}).")
    bounds = section.model_dump(exclude={"base_url", "model"})
    return ModelSettings(base_url, model, environment.get(MODEL_KEY_VARIABLE, ""), **bounds)
