"""`[oidc]` of `beleg.toml`: sign-in with an issuer of the company, and what its claims open."""

from __future__ import annotations

from pydantic import Field

from qa.settings_section import Section

CLIENT_SECRET_VARIABLE = "BELEG_OIDC_CLIENT_SECRET"


class OidcSection(Section):
    issuer: str | None = Field(
        None,
        description="Adresse des Anmeldedienstes (OpenID Connect), wie sie in seinen Token steht; sonst gelten nur Schlüssel.",
        examples=["https://login.example.com/realms/firma"],
    )
    client_id: str = Field("beleg", description="Name dieses Dienstes beim Anmeldedienst; für ihn müssen Token ausgestellt sein.")
    user_claim: str = Field(
        "sub", description="Angabe im Token, die den Menschen im Protokoll nennt.", examples=["preferred_username"]
    )
    groups_claim: str = Field("groups", description="Angabe im Token, die seine Gruppen nennt.", examples=["roles"])
    tenant: str | None = Field(None, description="Der Mandant aller, die sich so anmelden.", examples=["nord"])
    tenant_claim: str | None = Field(
        None, description="Angabe im Token, die den Mandanten nennt, an Stelle von tenant.", examples=["org"]
    )
    levels: dict[str, list[str]] = Field(
        {},
        description="Gruppe -> Zugriffsstufen; was keine Gruppe öffnet, bleibt zu.",
        examples=[{"Controlling": ["controlling"]}],
    )
    roles: dict[str, list[str]] = Field(
        {}, description="Gruppe -> Rollen; ohne Rolle ist nichts erlaubt.", examples=[{"Controlling": ["asker"]}]
    )
