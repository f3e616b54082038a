"""Dockerfile and compose.yaml say what is there and hold nothing secret: what they name is checked, without an engine."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from qa.cli import main
from qa.http.health_routes import healthz
from qa.settings import ENVIRONMENT, SECRETS
from tests.test_architecture import HOUSE

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
KNOWN_VARIABLES = {*ENVIRONMENT, *SECRETS, "BELEG_WORKSPACE"}
PINNED = re.compile(r"[\w./-]+:v?\d+\.\d+\.?\d*(-[\w-]+)?")
SECRET_NAME = re.compile(r"PASSWORD|KEY|TOKEN|SECRET")


def _instructions() -> list[tuple[str, str]]:
    joined = re.sub(r"\\\n", " ", "\n".join(line for line in DOCKERFILE.splitlines() if not line.startswith("#")))
    return [(line.split(None, 1)[0], line.split(None, 1)[1].strip()) for line in joined.splitlines() if line.strip()]


INSTRUCTIONS = _instructions()
LAST_STAGE = INSTRUCTIONS[max(place for place, (name, _) in enumerate(INSTRUCTIONS) if name == "FROM"):]  # fmt: skip


def _of(name: str, instructions: list[tuple[str, str]] = INSTRUCTIONS) -> list[str]:
    return [said for each, said in instructions if each == name]


def _check_command(words: list[str]) -> None:
    """A command line after `beleg` that the command line knows."""
    command: click.Command = main
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, words
        command, words = found, words[1:]
    command.make_context("beleg", list(words), resilient_parsing=True)
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known, words


def test_images_are_pinned_by_tag() -> None:
    images = [said.split()[0] for said in _of("FROM")] + [service["image"] for service in COMPOSE["services"].values()]
    assert [image for image in images if not PINNED.fullmatch(image)] == []


def test_what_the_image_is_built_from_is_there_and_reaches_the_build() -> None:
    copied = [source for said in _of("COPY") if not said.startswith("--from") for source in said.split()[:-1]]
    assert set(HOUSE) <= set(copied)
    assert [source for source in copied if not (ROOT / source).exists()] == []
    ignored = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] not in ("#", "")]
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    assert set(copied) == let_in
    for secret in (".env", ".git", "workspace", "beleg.toml"):
        assert any(fnmatch.fnmatch(secret, line) for line in ignored) and secret not in let_in


def _install_line() -> str:
    (line,) = [part for said in _of("RUN") for part in said.split("&&") if "pip install" in part]
    return line.strip()


def test_the_image_is_installed_with_the_extras_that_there_are_at_exact_versions() -> None:
    words = shlex.split(_install_line())
    extras = words[-1].removeprefix(".[").removesuffix("]").split(",")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(extras) <= set(declared) and {"postgresql", "qdrant", "mcp", "dense"} <= set(extras)
    assert words[words.index("-c") + 1] == "constraints.txt"


def test_the_container_runs_as_nobody_special_and_what_it_runs_exists() -> None:
    user = _of("USER", LAST_STAGE)[-1]
    assert user.split(":")[0].isdecimal() and int(user.split(":")[0]) >= 1000
    assert json.loads(_of("ENTRYPOINT", LAST_STAGE)[-1]) == ["beleg"]
    _check_command(json.loads(_of("CMD", LAST_STAGE)[-1]))
    health = _of("HEALTHCHECK", LAST_STAGE)[-1]
    assert next(iter(healthz.paths)) in health
    assert _of("EXPOSE", LAST_STAGE) == ["8080"] and "8080" in health


def test_the_check_of_health_tells_a_service_that_lives_from_one_that_does_not(tmp_path: Path) -> None:
    code = json.loads(_of("HEALTHCHECK", LAST_STAGE)[-1].partition("CMD ")[2])[2]
    page = tmp_path / "healthz"
    page.write_text("ok", encoding="utf-8")
    command = [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1"]
    given = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=given) as server:
        assert server.stdout is not None
        port = re.findall(r"port (\d+)", server.stdout.readline())[0]
        asked = [sys.executable, "-c", code.replace("8080", port)]
        codes = []
        for there in (True, False):
            page.unlink() if not there else None
            codes.append(subprocess.run(asked, check=False, capture_output=True).returncode)
        server.kill()
        server.wait()
    codes.append(subprocess.run(asked, check=False, capture_output=True).returncode)
    assert (codes[0], codes[1] != 0, codes[2] != 0) == (0, True, True)


def test_no_secret_is_written_down() -> None:
    for said in _of("ENV") + _of("ARG"):
        assert not SECRET_NAME.search(said)
    for service in COMPOSE["services"].values():
        for name, value in service.get("environment", {}).items():
            if SECRET_NAME.search(name) or "@" in value:
                assert re.search(r"\$\{\w+:\?[^}]+\}", value), name
                assert re.sub(r"\$\{[^}]*\}", "", value) in ("", "postgresql+psycopg://beleg:@postgresql:5432/beleg")


def test_compose_sets_only_variables_that_beleg_reads_and_hosts_that_there_are() -> None:
    service = COMPOSE["services"]["beleg"]
    assert set(service["environment"]) <= KNOWN_VARIABLES
    _check_command(service["command"])
    urls = [value for name, value in service["environment"].items() if name.endswith("URL")]
    hosts = {re.sub(r"^.*@|^\w+://", "", url).split(":")[0] for url in urls}
    assert hosts <= set(COMPOSE["services"])
    variables = set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text(encoding="utf-8")))
    operations = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert [name for name in variables if name not in operations] == []


@pytest.mark.parametrize("name", sorted(COMPOSE["services"]))
def test_every_container_has_as_little_as_it_needs(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service and "docker.sock" not in json.dumps(service)
    assert service["restart"] == "unless-stopped" and service["mem_limit"] and service["pids_limit"]
    assert all(str(port).startswith("127.0.0.1:") for port in service.get("ports", ()))
    volumes = [volume.split(":")[0] for volume in service["volumes"]]
    assert set(volumes) <= set(COMPOSE["volumes"])
    if name != "beleg":
        assert service["networks"] == ["inside"] and COMPOSE["networks"]["inside"]["internal"] is True
        assert service["healthcheck"]["test"][0] == "CMD" and "ports" not in service


def test_the_service_may_finish_its_questions_before_it_is_killed() -> None:
    from qa.http.serving import SECONDS_TO_END

    service = COMPOSE["services"]["beleg"]
    assert int(service["stop_grace_period"].removesuffix("s")) > SECONDS_TO_END
    assert service["read_only"] is True and service["user"] == _of("USER", LAST_STAGE)[-1]
    assert service["volumes"] == [f"{json.loads(_of('VOLUME', LAST_STAGE)[-1])[0].strip('/')}:/workspace"]


@pytest.mark.slow
def test_the_install_line_gives_a_service_that_starts_in_a_folder_of_its_own(tmp_path: Path) -> None:
    """The lines of the Dockerfile in a fresh environment; skipped where packages cannot be had."""
    place = tmp_path / "beleg"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    line = _install_line().replace("/opt/beleg", str(place))
    done = subprocess.run(shlex.split(line), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode and re.search(r"Could not find a version|No matching distribution|connection", done.stderr):
        pytest.skip(f"packages are not to be had here: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr[-2000:]
    command = [place / "bin" / "beleg", *json.loads(_of("CMD", LAST_STAGE)[-1])]
    command[command.index("--host") + 1], command[command.index("--port") + 1] = "127.0.0.1", "0"
    given = {"PATH": os.environ["PATH"], "BELEG_WORKSPACE": str(tmp_path / "workspace"), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command, cwd="/", env=given, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        address = next(re.findall(r"http://[\w.:]+", said)[0] for said in service.stderr if "http://" in said)
        for _ in range(100):
            try:
                assert urllib.request.urlopen(f"{address}/readyz", timeout=5).status == 200
                break
            except OSError:
                time.sleep(0.1)
        service.terminate()
        assert service.wait(30) == 0
