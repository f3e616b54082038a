"""What `beleg verify` says to people: cells that changed, values that differ, and what the equal ones rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.verify_answer import Verification, VerifiedFact
from qa.cli_output import write
from qa.german_text import grouped, machine_number_text

_ALL = {
    "recomputed": ("Der Wert ist aus den Originaldateien nachgerechnet und gleich.",
                   "{count} sind aus den Originaldateien nachgerechnet und gleich."),
    "rerun": (
        "Den Wert gab die Abfrage auf denselben Versionen noch einmal, seine Zellen sind in den Originaldateien unverändert.",
        "{count} gab die Abfrage auf denselben Versionen noch einmal, ihre Zellen sind in den Originaldateien unverändert."),
    "cells": ("Der Wert ist nicht nachgerechnet; seine Zellen sind in den Originaldateien unverändert.",
              "{count} sind nicht nachgerechnet; ihre Zellen sind in den Originaldateien unverändert."),
    "nothing": ("Der Wert nennt keine Zelle; an ihm ist nichts zu prüfen.",
                "{count} nennen keine Zelle; an ihnen ist nichts zu prüfen."),
}  # fmt: skip
"""orchestrator.verify_answer.Checked -> what is said of one value and of several."""


def write_verification(result: Verification, answer: Mapping[str, Any]) -> None:
    """`answer`: the logged answer, which knows the unit of each value and how it was shown."""
    for cell in result.differences:
        place = f"{cell.file}, {cell.sheet}!{cell.cell}" if cell.sheet is not None else f"{cell.file}, {cell.cell}"
        write(f"{place}: eingelesen „{_or_blank(cell.then)}“, in der Datei steht jetzt „{_or_blank(cell.now)}“.", colour="red")
    shown = {(fact.get("row"), fact.get("column")): fact for fact in answer.get("facts", ())}
    plain = {fact.why: _difference(fact, shown.get((fact.row, fact.column), {})) for fact in result.facts if fact.why}
    for message in dict.fromkeys(plain.get(message, message) for message in result.messages):
        write(message, colour="yellow")
    if result.ok:
        for checked, said in _ALL.items():
            count = sum(fact.checked == checked for fact in result.facts)
            if count:
                write(_of(count, len(result.facts), said), colour="green" if checked in ("recomputed", "rerun") else "yellow")


def _of(count: int, of: int, said: tuple[str, str]) -> str:
    one, several = said
    if of == 1:
        return one
    if count == of:
        return several.format(count="Beide Werte" if of == 2 else f"Alle {grouped(of)} Werte")
    if count == 1:
        rest = f"von {grouped(of)} Werten"
        return one.replace("Der Wert", f"Einer {rest}", 1).replace("Den Wert", f"Einen {rest}", 1)
    return several.format(count=f"{grouped(count)} von {grouped(of)} Werten")


def _difference(fact: VerifiedFact, shown: Mapping[str, Any]) -> str:
    if fact.recomputed is None or not shown.get("shown_as") or shown.get("masked"):
        return fact.why
    now = machine_number_text(fact.recomputed, shown.get("unit"))
    source = "die Abfrage ergibt" if fact.checked == "rerun" else "die Zellen ergeben"
    return f"Gezeigt wurde {shown['shown_as']}, {source} jetzt {now}."


def _or_blank(text: str | None) -> str:
    return text if text is not None else "leer"
