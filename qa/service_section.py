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
    session_hours: int = Field(10, ge=1, le=720, description="Dauer der Anmeldung im Browser in Stunden.")
    traces: TraceSetting = Field(
        "off",
        description="OpenTelemetry-Spuren (Zusatz otel): off; on ohne Fragen und Zellen; with_questions mit dem Wortlaut der "
        "Fragen.",
    )
