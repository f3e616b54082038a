"""An answer as a chat message: Markdown, the evidence as numbered notes with links to the cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qa.answer_text import answer_lines, describe_source, facts_to_prove, is_table
from qa.markdown_text import plain
from qa.visible_cells import sources_of

JsonObject = Mapping[str, Any]

MOST_NOTES = 20
MOST_ROWS = 200
MOST_SOURCES = 5
"""How many notes, rows of a table and sources of one note a message shows; the rest is counted, with the way to all of it."""

_WORDS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "evidence": "Belege", "answer": "Antwort", "note": "Hinweis", "suggestions": "Vorschläge", "options": "Möglich",
        "similar": "Ähnlich", "base": "Bezug", "more": "und {n} weitere", "rows": "{n} weitere Zeilen",
        "cut": "Das Ergebnis hat mehr Zeilen, als hier stehen.",
    },
    "en": {
        "evidence": "Evidence", "answer": "Answer", "note": "Note", "suggestions": "Suggestions", "options": "Options",
        "similar": "Similar", "base": "Base", "more": "and {n} more", "rows": "{n} more rows",
        "cut": "The result has more rows than are shown here.",
    },
    "pl": {
        "evidence": "Dowody", "answer": "Odpowiedź", "note": "Uwaga", "suggestions": "Propozycje", "options": "Możliwe",
        "similar": "Podobne", "base": "Podstawa", "more": "i jeszcze {n}", "rows": "jeszcze {n} wierszy",
        "cut": "Wynik ma więcej wierszy, niż tu pokazano.",
    },
}  # fmt: skip

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LINK_TO_ANSWER = re.compile(r"/answers/([0-9a-f]{32})\)")


def named_answer(message: str) -> str | None:
    """The answer that a message of ours was about, by its link; None in a text of somebody else."""
    found = _LINK_TO_ANSWER.findall(message)
    return found[-1] if found else None


def chat_text(answer: JsonObject, address: str) -> str:
    """`address`: where people reach the service, without a slash at the end."""
    page = f"{address}/answers/{answer['answer_id']}"
    writer = _Writer(answer, page, _WORDS[answer["language"] if answer["language"] in _WORDS else "de"])
    parts = [part for part in writer.parts() if part]
    return "\n\n".join(parts)


@dataclass(frozen=True)
class _Writer:
    answer: JsonObject
    page: str
    words: Mapping[str, str]

    def parts(self) -> Iterator[str]:
        """Blocks of Markdown, from top to bottom."""
        notes = self._notes()
        yield from self._sentences(notes)
        if self.answer["status"] == "answered" and is_table(self.answer):
            yield self._table(notes)
        yield self._related()
        yield "\n".join(f"> {self.words['note']}: {plain(each['message'])}" for each in self.answer["warnings"])
        yield self._list("suggestions", [plain(each) for each in (self.answer["refusal"] or {}).get("suggestions", ())])
        options = (self.answer["clarification"] or {}).get("options", ())
        yield self._list("options", [f"{plain(each['label'])}: „{plain(each['question'])}“" for each in options])
        yield self._evidence(notes)
        yield f"[{self.words['answer']} {self.answer['answer_id'][:8]}]({self.page})"

    def _notes(self) -> Mapping[int, str]:
        """Index of a fact -> its mark with the link; for the facts that have a note."""
        proving = {id(fact) for fact in facts_to_prove(self.answer)} | {
            id(fact) for fact in self.answer["facts"] if fact.get("related") is not None
        }
        numbered = [index for index, fact in enumerate(self.answer["facts"]) if id(fact) in proving and sources_of(fact)]
        return {index: self._mark(index, number) for number, index in enumerate(numbered[:MOST_NOTES], 1)}

    def _mark(self, fact: int, number: int) -> str:
        return f"[{str(number).translate(_RAISED)}]({self._cells(fact, 0)})"

    def _cells(self, fact: int, source: int) -> str:
        return f"{self.page}/cells?fact={fact}&source={source}"

    def _sentences(self, notes: Mapping[int, str]) -> Iterator[str]:
        """Each line of the text; where no table follows, each number has its mark behind it, or at the end."""
        open_marks = {} if is_table(self.answer) else dict(notes)
        lines = answer_lines(self.answer)
        for place, line in enumerate(lines, 1):
            text = plain(line)
            for index, mark in list(open_marks.items()):
                shown = plain(self.answer["facts"][index]["shown_as"])
                found = list(re.finditer(rf"(?<![\w.,]){re.escape(shown)}(?![\w])", text)) if shown else []
                if len(found) == 1:
                    text = f"{text[: found[0].end()]} {mark}{text[found[0].end() :]}"
                    del open_marks[index]
            rest = " ".join(open_marks.values()) if place == len(lines) else ""
            yield f"{text} {rest}".rstrip()

    def _table(self, notes: Mapping[int, str]) -> str:
        result, facts = self.answer["result"], self.answer["facts"]
        shown: dict[tuple[int, int], str] = {}
        for index, fact in enumerate(facts):
            if fact.get("row") is not None:
                shown[fact["row"], fact["column"]] = f"{plain(fact['shown_as'])} {notes.get(index, '')}".rstrip()
        columns = result["columns"]
        lines = [_line(plain(column["name"]) for column in columns)]
        lines.append(_line("---:" if column["type"] in ("decimal", "integer") else "---" for column in columns))
        for i, row in enumerate(result["rows"][:MOST_ROWS]):
            lines.append(_line(shown.get((i, j), plain(value) if value is not None else "–") for j, value in enumerate(row)))
        left = len(result["rows"]) - MOST_ROWS
        ends = [f"[{self.words['rows'].format(n=left)}]({self.page})"] if left > 0 else []
        ends += [self.words["cut"]] if result["truncated"] else []
        return "\n\n".join(["\n".join(lines), *ends])

    def _related(self) -> str:
        rows = []
        for row in self.answer["related"]:
            values = ", ".join(f"{plain(name)}: {plain(value)}" for name, value in row["values"].items())
            sources = "; ".join(plain(describe_source(source)) for source in row["provenance"]["sources"])
            rows.append(f"{plain(row['title'])} ({values}) – {sources}" if sources else f"{plain(row['title'])} ({values})")
        return self._list("similar", rows)

    def _list(self, heading: str, lines: Sequence[str]) -> str:
        return "\n".join([f"**{self.words[heading]}**", "", *(f"- {line}" for line in lines)]) if lines else ""

    def _evidence(self, notes: Mapping[int, str]) -> str:
        if not notes:
            return ""
        lines = [f"{number}. {self._note(index)}" for number, index in enumerate(notes, 1)]
        total = sum(1 for fact in facts_to_prove(self.answer) if sources_of(fact))
        more = [f"- [{self.words['more'].format(n=total - len(notes))}]({self.page})"] if total > len(notes) else []
        return "\n".join([f"**{self.words['evidence']}**", "", *lines, *more])

    def _note(self, index: int) -> str:
        fact = self.answer["facts"][index]
        count = len(fact["provenance"]["sources"])
        sources = sources_of(fact)
        parts = [
            f"{self.words['base'] + ' ' if place >= count else ''}[{plain(describe_source(source))}]({self._cells(index, place)})"
            for place, source in enumerate(sources[:MOST_SOURCES])
        ]
        if len(sources) > MOST_SOURCES:
            parts.append(f"[{self.words['more'].format(n=len(sources) - MOST_SOURCES)}]({self.page})")
        return f"{plain(fact['shown_as'])}: {'; '.join(parts)}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
