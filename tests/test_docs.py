"""The documents say what is there: commands, links, dependencies."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def _anchors(path: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for target in LINK.findall(_without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        if not place.exists() or (anchor and anchor not in _anchors(place)):
            dead.append(target)
    assert not dead


def _make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_named_make_targets_exist(page: Path) -> None:
    named = set(re.findall(r"(?:`|^ {4}|^)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= _make_targets()


def _shell_lines(page: Path) -> list[str]:
    """Lines of shell blocks, a trailing backslash joined with the next line, without prompts and comments."""
    text = page.read_text(encoding="utf-8")
    blocks = [body for language, body in FENCE.findall(text) if language in ("sh", "bash", "shell", "console")]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith(("$ ", "beleg "))]


def _beleg_calls() -> list[tuple[str, str]]:
    return [(_name(page), line) for page in PAGES for line in _shell_lines(page) if line.startswith("beleg ")]


@pytest.mark.parametrize(("page", "line"), _beleg_calls())
def test_named_commands_and_options_exist(page: str, line: str) -> None:
    """Every `beleg ...` in a shell block names a command and options that the command line knows."""
    import click

    from qa.cli import main

    words = shlex.split(line, comments=True)[1:]
    command: click.Command = main
    context = click.Context(command, info_name="beleg")
    while isinstance(command, click.Group) and words:
        options = {name for parameter in command.params for name in parameter.opts}
        if words[0] in options:
            words = words[2:]
            continue
        found = command.get_command(context, words[0])
        assert found is not None, f"{page}: '{line}': no command {words[0]}"
        command, words = found, words[1:]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]
    assert not unknown, f"{page}: '{line}': no option {unknown}"


def test_the_architecture_names_only_files_that_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    known = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("*/**/*.py")}
    named = re.findall(r"`([\w/]+\.py)`", page)
    assert len(named) > 30
    assert [name for name in named if not any(path == name or path.endswith(f"/{name}") for path in known)] == []


def _distribution(requirement: str) -> str:
    return re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0].lower()


def test_every_dependency_is_explained_and_no_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    core, *extras = page.split("## Extra ")
    assert _explained(core) == {_distribution(line) for line in project["dependencies"]}
    sections = {re.findall(r"`([\w-]+)`", section)[0]: _explained(section) for section in extras}
    declared = project.get("optional-dependencies", {})
    assert sections == {extra: {_distribution(line) for line in lines} for extra, lines in declared.items()}


def _explained(section: str) -> set[str]:
    return set(re.findall(r"^\| ([a-z][\w.-]*) \| \S", section, re.MULTILINE)) - {"package"}


def test_the_readme_shows_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text
