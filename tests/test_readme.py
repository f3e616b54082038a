"""The README's lines run as they stand, and its transcript is what the demo says."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from qa.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
VENV = re.search(r"^VENV \?= (\S+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1]  # type: ignore[index]
ANSWER_ID = re.compile(r"\b[0-9a-f]{32}\b")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def _run(arguments: list[str]) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main.main(arguments)
    return ended.value.code


def test_the_lines_about_ones_own_folder_run_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goldsets").symlink_to(ROOT / "goldsets")
    lines = [line for block in _blocks("sh") for line in block.replace("\\\n", " ").splitlines()]
    asked = 0
    monkeypatch.setenv("PWD", str(tmp_path))
    activated = False
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[0] == "export":
            monkeypatch.setenv(*os.path.expandvars(words[1]).split("=", 1))
        elif words[0] == "source":
            assert words[1:] == [f"{VENV}/bin/activate"], "the environment of the Makefile"
            activated = True
        elif words[0] == "beleg":
            assert activated, "the lines before do not make the command known"
            code = _run(words[1:])
            assert code == 0, f"{line} ended with {code}: {capsys.readouterr().err}"
            asked += words[1] == "ask"
        else:
            assert words[0] == "make", f"unknown command in the README: {line}"
    assert asked == 3
    printed = capsys.readouterr().out
    assert "1.247.890 PLN" in printed
    assert '"107661.57"' in printed


def test_the_transcript_is_what_the_demo_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["demo"]) == 0
    said = {ANSWER_ID.sub("ID", line.rstrip()) for line in capsys.readouterr().out.splitlines()}
    (transcript,) = _blocks("text")
    shown = [ANSWER_ID.sub("ID", line) for line in transcript.splitlines()]
    assert [line for line in shown if line not in said] == []
