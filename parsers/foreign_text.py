"""Text in a file that speaks to a machine or holds a secret: found, never obeyed, and named for those who look after the file.

Nothing is removed: a cell that looks like an instruction is a cell. Patterns are pairs of words near each other ("ignoriere …
Anweisungen"), German, English and Polish alike, so that a sentence may be worded in many ways; a plain note is rarely one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from parsers.address import cell_address
from parsers.fold import fold
from parsers.problem import Problem
from parsers.table import ColumnType, ParsedSheet, ParsedTable

CODES = ("instruction_in_text", "secret_in_text", "more_foreign_text")
"""Codes of the problems that are reported."""
MOST_FINDINGS = 20
"""Findings that are named one by one; beyond them only that there are more."""
_SHOWN = 60
_NEAR = 7
"""Words that may stand between the two words of a pair."""


def _stems(text: str) -> re.Pattern[str]:
    """Words beginning with any of these; one that ends in "." stands alone."""
    parts = [re.escape(word[:-1]) + r"\b" if word.endswith(".") else re.escape(word) for word in text.split()]
    return re.compile(r"\b(?:" + "|".join(parts) + ")")


_DISCARD = _stems(
    "ignore disregard forget. override bypass overrule ignorier vergiss. missacht umgeh uebergeh zignoruj ignoruj "
    "zapomnij pomin pomij omin"
)
_RULES = _stems(
    "instruction prompt rules. guideline previous preceding prior. above. earlier restriction anweisung anleitung. "
    "regeln. vorgabe vorherig "
    "bisherig obig vorangegangen beschraenkung instrukcj polecen zasad. zasady. regul poprzedni powyzs wczesniejs ogranicz"
)
_SPEAK = _stems(
    "answer. reply. respond. say. output. print. write. return. claim. mention. tell. antworte. nenne. sage. schreib. schreibe. "
    "gib. melde. behaupte. erwaehne. odpowiedz. odpowiadaj. podaj. podawaj. napisz. powiedz. zwroc. wypisz."
)
_ALWAYS = _stems(
    "always. only. never. instead. immer. nur. niemals. nie. stattdessen. statt. ausschliesslich zawsze. tylko. nigdy. zamiast."
)
_REVEAL = _stems(
    "show. reveal. list. send. leak. expose. disclose. dump. print. zeige. zeig. verrate. verrat. sende. schick "
    "liste. pokaz. ujawnij. wyslij. wypisz."
)
_KEPT = _stems(
    "system. systemprompt. prompt. password passwor kennwort passwoerter hasl secret geheim tenant mandant najemc "
    "credential zugangsdat schema. tables. "
    "tabellen. tabele. tabel. wszystk api"
)
_OTHER = _stems(
    "other. all. every. hidden. foreign. ander alle. aller. saemtlich versteckt fremd geheim system. systemprompt. "
    "inny innych. wszystk ukryt. ukryte ukrytych "
    "system passwor kennwort hasl secret"
)
_ACT = _stems("delete. drop. truncate. execute. run. loesche. loesch fuehre. usun. skasuj. wykonaj.")
_DATA = _stems(
    "table database rows. records. command code. sql. tabelle datenbank zeilen datensaetz befehl code. "
    "tabel baz wiersz rekord kod. polecen"
)
_PERSONA = re.compile(
    r"\byou are (?:now|an?) (?:\w+ ){0,3}(?:assistant|ai|bot|model|admin\w*|dan)\b|\bdu bist (?:jetzt|nun|ab sofort)\b|"
    r"\bsie sind (?:jetzt|nun|ab sofort) (?:ein|eine)\b|\bjestes teraz\b|\bact as (?:an? |"
    r"the )?(?:\w+ ){0,2}(?:assistant|ai|admin\w*|system|model)\b|"
    r"\b(?:developer|jailbreak|dan|god) mode\b|\bsystem ?-?prompt\b|\bnew (?:instructions?|task|role):|"
    r"\bneue (?:anweisung(?:en)?|aufgabe|rolle):|"
    r"\bnowe (?:instrukcj[ea]|polecenie|zadanie):|\b(?:dear|hello|hey|liebe[sr]?|hallo|drogi) (?:ai|ki|chatgpt|llm|"
    r"sprachmodell|language model|assistant|assistent)\b|"
    r"\b(?:als|as an?) (?:ki|ai|llm)(?:-\w+)?\b[,:]? (?:du|you|sollst|must|musst)\b"
)
_MARKS = re.compile(
    r"^\W{0,4}(?:system|assistant|developer)\s*(?:prompt|message|note|nachricht|hinweis)?\s*[:>\]]\s*(?:\w+\W+){4}|"
    r"<\|?(?:im_start|im_end|system|assistant|endoftext)\|?>|"
    r"\[/?inst\]|<</?sys>>|^#{2,}\s*(?:instruction|system|anweisung|instrukcj)|</?(?:system|instructions?|data|"
    r"prompt)>|data>>>|<<<data"
)
_PAIRS = ((_DISCARD, _RULES), (_SPEAK, _ALWAYS), (_ACT, _DATA))
_TRIPLE = (_REVEAL, _OTHER, _KEPT)

_SECRETS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ein privater Schlüssel", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?")),
    ("ein Zugangsschlüssel", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("ein Zugangsschlüssel", re.compile(r"\b(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|proj[-_]|ant[-_])?[A-Za-z0-9_-]{20,}")),
    ("ein Zugangsschlüssel", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}|"
    r"xox[abprs]-[\w-]{10,}|AIza[\w-]{35})")),
    ("ein Zugangstoken", re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}")),
    ("ein Kennwort in einer Adresse", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]{1,64}:[^\s/@]{3,}@[^\s]+", re.IGNORECASE)),
    (
        "ein Kennwort",
        re.compile(
            r"(?:pass(?:wor[dt])?|kennwort|pwd|has[łl]o|api[-_ ]?key|access[-_ ]?token|secret|"
            r"client[-_ ]?secret)\s*(?:[:=]|ist:?|is:?|to:)\s*"
            r"(?=\S*[\d!@#$%^&*+])\S{6,}",
            re.IGNORECASE,
        ),
    ),
)  # fmt: skip
_FIRST_LOOK = re.compile(
    r"gnor|gnuj|disreg|forget|overr|bypass|vergi|missach|umgeh|bergeh|zapomn|pomi|omi[nń]|answer|repl|respon|say|"
    r"output|print|writ|return|"
    r"claim|mention|tell|antwort|nenne|sage|schreib|gib|melde|behaupt|erw|odpow|poda|napisz|powied|zwr|wypis|show|"
    r"reveal|list|send|leak|expos|disclos|dump|"
    r"zeig|verrat|schick|poka|ujawn|wy[sś]l|delet|drop|trunc|execut|run|l[öo]e?sch|f[üu]e?hre|usu|skasuj|wykon|you "
    r"are|bist|sind|jeste|act as|mode|prompt|"
    r"new |neue |nowe |dear|hello|hey|liebe|hallo|drogi|als ki|as an|system|assist|develop|im_|inst\]|sys>|###|<|"
    r"-----begin|akia|asia|[spr]k[-_]|gh[pousr]_|"
    r"github_pat|glpat|xox|aiza|eyj|://|pass|kennw|pwd|has[łl]o|api|token|secret",
    re.IGNORECASE,
)
"""Whether a text is worth the rules at all."""


@dataclass(frozen=True)
class Finding:
    """`kind`: "instruction" or "secret"; `what`: in German, what it looks like; `shown`: shortened, secrets masked."""

    kind: str
    what: str
    shown: str


def look_at(text: str) -> Finding | None:
    """What is conspicuous about a text of a file, if anything; a secret before an instruction."""
    if len(text) < 8 or not _FIRST_LOOK.search(text):
        return None
    for what, pattern in _SECRETS:
        if pattern.search(text):
            return Finding("secret", what, _short(mask_secrets(text)))
    if is_instruction(text):
        return Finding("instruction", "eine Anweisung an ein Sprachmodell", _short(text))
    return None


def is_instruction(text: str) -> bool:
    """Whether a text speaks to a machine: discards rules, sets a role, says what to answer, asks for what is hidden."""
    folded = fold("".join(letter if letter.isprintable() else " " for letter in text))
    if _MARKS.search(folded) or _PERSONA.search(folded):
        return True
    if any(_near(first, second, folded) for first, second in _PAIRS):
        return True
    start = _TRIPLE[0].search(folded)
    return start is not None and all(pattern.search(folded, start.end(), start.end() + 120) for pattern in _TRIPLE[1:])


def _near(first: re.Pattern[str], second: re.Pattern[str], folded: str) -> bool:
    """The second in the words behind the first, or (a language that puts "always" before the verb) right before it."""
    for found in first.finditer(folded):
        behind = " ".join(islice(folded[found.end() :].split(), _NEAR))
        before = " ".join(folded[: found.start()].split()[-2:])
        if second.search(behind) or (first is _SPEAK and second.search(before)):
            return True
    return False


def mask_secrets(text: str) -> str:
    """The text with what looks like a secret replaced by its first two letters and its length."""
    for _, pattern in _SECRETS:
        text = pattern.sub(lambda found: f"{found.group()[:2]}… ({len(found.group())} Zeichen)", text)
    return text


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _SHOWN else one_line[: _SHOWN - 1] + "…"


def foreign_text(file: str, sheets: Sequence[ParsedSheet]) -> tuple[Problem, ...]:
    """One problem for each text that is conspicuous, with its place; the file's own name and the sheets' names included."""
    found = list(islice(_findings(file, sheets), MOST_FINDINGS + 1))
    problems = [_problem(where, finding) for where, finding in found[:MOST_FINDINGS]]
    if len(found) > MOST_FINDINGS:
        message = f"Es gibt mehr als {MOST_FINDINGS} auffällige Texte; genannt sind die ersten."
        problems.append(Problem("more_foreign_text", file, message, "Prüfen Sie, woher die Datei stammt."))
    return tuple(problems)


def _problem(where: str, finding: Finding) -> Problem:
    if finding.kind == "secret":
        message = f"Der Text enthält wohl {finding.what}: „{finding.shown}“."
        return Problem("secret_in_text", where, message, "Entfernen Sie ihn aus der Datei und ändern Sie das Geheimnis.")
    message = f"Der Text sieht aus wie {finding.what}: „{finding.shown}“. Er wird nur als Text gelesen und nie befolgt."
    return Problem("instruction_in_text", where, message, "Prüfen Sie, woher die Datei stammt.")


def _findings(file: str, sheets: Sequence[ParsedSheet]) -> Iterator[tuple[str, Finding]]:
    yield from _of(((file, file),))
    for sheet in sheets:
        place = sheet.name or file
        if sheet.name:
            yield from _of(((place, sheet.name),))
        loose = [(place, note) for note in sheet.notes]
        for parsed in sheet.tables:
            if parsed.table.printed is None:
                loose += [(f"{place}!{parsed.table.range}", text) for text in (parsed.table.caption or "", *parsed.table.notes)]
        yield from _of(dict.fromkeys(loose))
        for parsed in sheet.tables:
            if parsed.table.printed is None:
                yield from _in_table(parsed, f"{sheet.name}!" if sheet.name else "")


def _in_table(parsed: ParsedTable, prefix: str) -> Iterator[tuple[str, Finding]]:
    """Headers, then every text of the text columns once, where it first stands."""
    head = parsed.table.header_rows[0] if parsed.table.header_rows else 1
    for column in parsed.table.columns:
        letter = column.position or 1
        yield from _of(((f"{prefix}{cell_address(head, letter)}", column.header),))
        if column.type is not ColumnType.TEXT:
            continue
        seen: set[str] = set()
        for index, value in enumerate(parsed.data.values[column.sql_name]):
            if not isinstance(value, str) or value in seen:
                continue
            seen.add(value)
            finding = look_at(value)
            if finding is not None:
                cells = parsed.data.cells.get(column.sql_name)
                yield prefix + (cells[index] if cells is not None else cell_address(parsed.data.rows[index], letter)), finding


def _of(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Finding]]:
    for where, text in texts:
        finding = look_at(text)
        if finding is not None:
            yield where, finding
