"""Writing `beleg.toml`: the commented file of `beleg init`, and the file of a run that brings its own settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic.fields import FieldInfo

from qa.problems import SettingsError
from qa.settings import FILE_NAME, SECTIONS

TomlValue = str | int | list[str]


def init_workspace(root: Path) -> Path:
    """Writes root/data and root/beleg.toml, every key commented out at its default. Raises SettingsError if the file exists."""
    path = root / FILE_NAME
    try:
        (root / "data").mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(commented_file())
    except FileExistsError:
        raise SettingsError(f"{path} gibt es schon und bleibt, wie sie ist; sie lässt sich mit jedem Editor ändern.") from None
    except OSError as error:
        raise SettingsError(f"{path} lässt sich nicht anlegen ({error.strerror}); Ort und Rechte prüfen.") from error
    return path


def commented_file() -> str:
    """The text that `beleg init` writes: valid TOML, every key with its meaning, all of them commented out."""
    lines = [
        "# Einstellungen von Beleg. Unbekannte Schlüssel sind Fehler; alles ist in docs/settings.md erklärt.",
        "# Kennwörter und Schlüssel stehen nie hier, sondern in der Umgebung.",
    ]
    for section, model in SECTIONS.items():
        heading = "# [tenants.nord]" if section == "tenants.<name>" else f"[{section}]"
        lines += ["", heading]
        for key, field in model.model_fields.items():
            lines += [f"# {field.description}", f"# {key} = {_example(field)}"]
    return "\n".join(lines) + "\n"


def write_workspace(root: Path, workspace: Mapping[str, TomlValue], tenants: Mapping[str, Mapping[str, TomlValue]]) -> None:
    """A fresh workspace with exactly these keys, for runs that bring their own settings. Raises SettingsError if there is one."""
    init_workspace(root)
    lines = ["[workspace]", *_assignments(workspace)]
    for name, values in tenants.items():
        lines += ["", *_tenant_section(name, values)]
    (root / FILE_NAME).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _tenant_section(name: str, values: Mapping[str, TomlValue]) -> list[str]:
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
    return [f"[tenants.{key}]", *_assignments(values)]


def _assignments(values: Mapping[str, TomlValue]) -> list[str]:
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]


def _example(field: FieldInfo) -> str:
    """The default as TOML; for keys without one, the example that the key itself gives."""
    value = field.default if field.default is not None else (field.examples or [""])[0]
    return json.dumps(value, ensure_ascii=False)
