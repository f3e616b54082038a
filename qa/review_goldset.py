"""A reviewed answer as a case of a goldset: appended to the file as text, so that its comments stay."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldsets.goldset import GoldsetError
from goldsets.read_goldset import read_goldset
from qa.problems import BelegError
from qa.review import full_answer

JsonObject = Mapping[str, Any]

_TOP_LEVEL = re.compile(r"^[A-Za-z_]\w*:", re.MULTILINE)
_ITEM = re.compile(r"^( *)- ", re.MULTILINE)


def append_case(path: Path, record: JsonObject) -> str:
    """Adds the case to the goldset file and gives its id. The file is replaced only if it then is a valid goldset.

    Raises BelegError: no such file, no list of cases, or a case that the goldset cannot hold (a tenant that it does not know)."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BelegError(
            f"Das Goldset {path} ist nicht lesbar ({error.strerror}); eine vorhandene Datei mit corpus und cases nennen."
        ) from error
    known = read_goldset(path)
    case_id = f"review-{record['answer_id'][:12]}"
    if any(case.case_id == case_id for case in known.cases):
        raise BelegError(f"{path}: den Fall {case_id} gibt es schon; die Antwort steht bereits im Goldset.")
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(_with_case(text, path, case_of(record, case_id)), encoding="utf-8")
    try:
        read_goldset(fresh)
    except GoldsetError as error:
        fresh.unlink()
        sentence = str(error).replace(str(fresh), str(path))
        raise BelegError(f"Der Fall lässt sich nicht anfügen, {path} bleibt unverändert: {sentence}") from error
    os.replace(fresh, path)
    return case_id


def case_of(record: JsonObject, case_id: str) -> dict[str, Any]:
    """The case in the goldset format. A follow-up is written in full, so that it stands alone."""
    answer, detail = full_answer(record), record["detail"]
    expect: dict[str, Any] = {"status": answer["status"]}
    if answer["status"] == "answered":
        facts = {(fact["row"], fact["column"]): fact for fact in answer["facts"] if fact.get("row") is not None}
        expect["rows"] = [
            [_expected(value, facts.get((i, j))) for j, value in enumerate(row) if value is not None]
            for i, row in enumerate(answer["result"]["rows"])
        ]
        numbers = [fact for fact in facts.values() if _is_number(fact, answer)]
        units = {fact["unit"] for fact in numbers}
        if len(units) == 1 and None not in units:
            expect["unit"] = units.pop()
        expect["sources"] = _sources(list(facts.values()))
    elif answer["refusal"] is not None:
        expect["code"] = answer["refusal"]["code"]
    return {
        "id": case_id,
        "question": detail["turn"]["text"] if "turn" in detail else answer["question"],
        "tenant": record["tenant"],
        "levels": list(record["levels"]),
        "mode": answer["route"] or "sql",
        "asked_on": detail.get("today") or str(record["asked_at"])[:10],
        "expect": expect,
    }


def _expected(value: str, fact: JsonObject | None) -> str:
    if fact is None or fact["exact"] or "numerator" not in fact["provenance"]:
        return value
    return f"{fact['provenance']['numerator']}/{fact['provenance']['denominator']}"


def _is_number(fact: JsonObject, answer: JsonObject) -> bool:
    return answer["result"]["columns"][fact["column"]]["type"] in ("decimal", "integer")


def _sources(facts: list[JsonObject]) -> list[dict[str, Any]]:
    cells: dict[tuple[str, str | None, str], list[str]] = {}
    for fact in facts:
        for source in fact["provenance"]["sources"]:
            place = (source["file"], source["sheet"], source["version"]["label"])
            cells.setdefault(place, []).extend(source["cells"])
    return [
        {"file": file, **({"sheet": sheet} if sheet is not None else {}), "cells": list(dict.fromkeys(found)), "version": version}
        for (file, sheet, version), found in cells.items()
    ]


def _with_case(text: str, path: Path, case: JsonObject) -> str:
    """The text with one item more at the end of `cases`, indented as the items there are."""
    start = re.search(r"^cases:[ \t]*(#.*)?$", text, re.MULTILINE)
    if start is None:
        raise BelegError(f"{path}: 'cases:' mit einer Liste darunter fehlt; so wie im Goldset-Format schreiben.")
    following = _TOP_LEVEL.search(text, start.end())
    end = following.start() if following is not None else len(text)
    item = _ITEM.search(text, start.end(), end)
    indent = item.group(1) if item is not None else "  "
    body = text[:end].rstrip("\n")
    lines = [f"{indent}- id: {case['id']}"]
    lines += [f"{indent}  {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in case.items() if key != "id"]
    rest = f"\n\n{text[end:]}" if following is not None else "\n"
    return f"{body}\n" + "\n".join(lines) + rest
