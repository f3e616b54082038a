"""Writing `beleg.toml`: the commented file of `beleg init`, and one more tenant in a file that exists."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic.fields import FieldInfo

from qa.file_lock import locked
from qa.problems import SettingsError
from qa.settings import FILE_NAME, SECTIONS, SettingsFile, check_tenant_name

TomlValue = str | int


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
    _replace(root / FILE_NAME, "\n".join(lines) + "\n")


def add_tenant(root: Path, name: str) -> bool:
    """Appends [tenants.NAME]; False if it is there already (another process may have been faster). Raises SettingsError."""
    try:
        check_tenant_name(name)
    except ValueError as error:
        raise SettingsError(str(error)) from None
    import tomllib

    path = root / FILE_NAME
    with locked(root / "data" / "settings.lock"):
        text = path.read_text(encoding="utf-8-sig")
        if name in SettingsFile.model_validate(tomllib.loads(text)).tenants:
            return False
        _replace(path, text.rstrip("\n") + "\n\n" + "\n".join(_tenant_section(name, {})) + "\n")
        return True


def _tenant_section(name: str, values: Mapping[str, TomlValue]) -> list[str]:
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
    return [f"[tenants.{key}]", *_assignments(values)]


def _assignments(values: Mapping[str, TomlValue]) -> list[str]:
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]


def _example(field: FieldInfo) -> str:
    """The default as TOML; for keys without one, the example that the key itself gives."""
    value = field.default if field.default is not None else (field.examples or [""])[0]
    return json.dumps(value, ensure_ascii=False)


def _replace(path: Path, text: str) -> None:
    """The old file or the new one, never half of it."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
