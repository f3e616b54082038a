"""The section `[service]` of beleg.toml: where the HTTP service listens and what it allows."""

from __future__ import annotations

from pydantic import Field

from qa.settings_section import Section
from qa.tracing import TraceSetting


class ServiceSection(Section):
    host: str = Field("127.0.0.1", description="Adresse, an der der Dienst hört; ohne anderes nur dieser Rechner.")
    port: int = Field(8080, ge=0, le=65_535, description="Port, an dem der Dienst hört; 0 nimmt einen freien.")
    public_url: str | None = Field(
        None,
        description="Adresse, unter der Menschen den Dienst erreichen; steht in Verweisen auf Belege. Mit https sind Cookies "
        "nur verschlüsselt unterwegs.",
        examples=["https://beleg.example.com"],
    )
    requests_per_minute: int = Field(
        6_000, ge=0, le=1_000_000, description="Wie viele Anfragen ein Schlüssel in einer Minute stellen darf; 0: beliebig viele."
    )
    body_seconds: float = Field(
        30, ge=1, le=3_600, description="Wie lange der Inhalt einer Anfrage unterwegs sein darf, in Sekunden; Dateien länger."
    )
    metrics_open: bool = Field(
        False, description="Ob /metrics ohne Schlüssel lesbar ist; sonst braucht es einen mit der Rolle monitor oder admin."
    )
    session_hours: int = Field(10, ge=1, le=720, description="Dauer der Anmeldung im Browser in Stunden.")
    traces: TraceSetting = Field(
        "off",
        description="OpenTelemetry-Spuren (Zusatz otel): off; on ohne Fragen und Zellen; with_questions mit dem Wortlaut der "
        "Fragen.",
    )
