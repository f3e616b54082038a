"""What every table of `beleg.toml` has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A table of the file: unknown keys are errors, values are never converted from another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
