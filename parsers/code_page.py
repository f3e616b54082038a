"""Which 8-bit code page a text is in, told by how plausible its letters stand in their words.

cp1252 (Western Europe; ISO-8859-1 is a part of it), cp1250 and ISO-8859-2 (Central Europe) share ä ö ü ß é and most signs, so
only bytes on which they differ count: 0xF1 is ñ or ń, 0xB3 is ³ or ł. Spelling decides: ñ stands before a vowel (España), ń
before a consonant or at the end (Gdańsk); ³ follows "m" (m³), ł stands among letters.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from re import compile as compile_pattern

CODE_PAGES = ("cp1252", "cp1250", "iso8859_2")
"""Candidates; where none is more plausible than another, the first one that fits is taken."""

_HIGH = compile_pattern(rb"[\x80-\xff]")
_MOST_BYTES = 400_000
_VOWELS = frozenset("aeiouyàáâäåæãąăèéêëęěìíîïòóôöøõőùúûüůűý")

# (before, after, score): V vowel, C consonant, E no letter, * anything, other letters stand for themselves. First match counts.
_LETTERS: dict[str, tuple[tuple[str, str, int], ...]] = {
    # Polish
    "ł": (("*", "*", 2),), "ą": (("*", "E", 0), ("E", "*", -1), ("*", "V", -2), ("*", "*", 2)),
    "ę": (("E", "*", -2), ("*", "E", 2), ("*", "V", -2), ("i", "*", 2), ("*", "dbgkz", 1), ("*", "*", 0)),
    "ń": (("*", "V", 0), ("*", "*", 2)), "ć": (("V", "*", 1), ("*", "E", 1), ("E", "*", 1), ("*", "*", -1)),
    "ś": (("*", "u", 0), ("*", "*", 2)), "ź": (("*", "*", 1),), "ż": (("*", "*", 1),),
    # Czech, Slovak
    "č": (("*", "V", 2), ("*", "*", 0)), "ě": (("C", "*", 1), ("*", "*", -1)),
    "ň": (("eu", "E", 1), ("*", "C", 1), ("*", "*", 0)),
    "ř": (("*", "V", 1), ("*", "*", 0)), "ů": (("C", "*", 1), ("E", "*", 1), ("*", "*", -1)), "ť": (("*", "*", 1),),
    "ď": (("*", "*", 0),), "š": (("*", "E", 0), ("*", "*", 1)), "ž": (("*", "*", 1),),
    "ľ": (("*", "V", 1), ("*", "*", 0)), "ŕ": (("*", "*", -1),), "ĺ": (("*", "*", -1),),
    # Hungarian, Romanian, Turkish letters of the code page, South Slavic
    "ő": (("*", "*", 1),), "ű": (("o", "*", 0), ("*", "*", 1)), "ă": (("*", "o", -1), ("*", "*", 1)),
    "ş": (("*", "V", 1), ("*", "*", 0)),
    "ţ": (("*", "V", 1), ("*", "*", 0)), "đ": (("*", "*", 0),),
    # Western
    "ñ": (("*", "V", 2), ("*", "*", -2)), "æ": (("V", "*", -1), ("*", "E", -1), ("*", "*", 1)),
    "ø": (("E", "E", 3), ("*", "V", -1), ("*", "*", 1)),
    "å": (("*", "*", 1),), "ê": (("*", "E", -2), ("i", "*", -2), ("C", "tmlprnvcq", 1), ("E", "t", 1), ("*", "*", -1)),
    "è": (("*", "V", -1), ("*", "C", 1), ("*", "*", 0)), "à": (("*", "*", 1),), "ì": (("*", "E", 1), ("*", "*", -1)),
    "ò": (("*", "E", 1), ("*", "*", 0)), "ù": (("o", "E", 2), ("*", "E", 0), ("*", "*", -1)), "û": (("o", "*", 1), ("*", "*", 0)),
    "õ": (("*", "e", 1), ("*", "*", 0)), "ã": (("*", "o", 2), ("*", "E", 1), ("*", "*", 0)), "ï": (("V", "*", 1), ("*", "*", -1)),
    "œ": (("*", "u", 2), ("E", "*", -1), ("*", "*", -2)), "ÿ": (("*", "*", -3),), "þ": (("*", "*", -2),), "ð": (("*", "*", -1),),
}  # fmt: skip
_BETWEEN_LETTERS = frozenset("’'‘´\u00ad·–—-&")
_NEVER_IN_TEXT = frozenset("¯¨¸˛ˇ˘˙˝¦¬¤ª\ufffd")


@dataclass(frozen=True)
class CodePage:
    """`name` is a Python codec. `rival`: another code page that reads the text as plausibly but differently, None if none.
    `examples`: up to three words as (name's reading, rival's reading)."""

    name: str
    rival: str | None = None
    examples: tuple[tuple[str, str], ...] = ()


def find_code_page(data: bytes) -> CodePage:
    """The code page of `data`, which is not UTF-8. If no candidate can hold every byte: ISO-8859-1."""
    contexts = _contexts(data)
    fitting = [name for name in CODE_PAGES if _holds(data, name)]
    if not fitting:
        return CodePage("latin-1")
    differing = [context for context in contexts if len({_letters(context, name) for name in fitting}) > 1]
    scores = {name: sum(_plausibility(*_letters(context, name)) for context in differing) for name in fitting}
    best = max(fitting, key=lambda name: scores[name])
    rivals = [
        name
        for name in fitting
        if name != best
        and scores[name] >= scores[best]
        and any(_letters(context, name) != _letters(context, best) for context in differing)
    ]
    if not rivals:
        return CodePage(best)
    return CodePage(best, rivals[0], _examples(data, best, rivals[0]))


def _contexts(data: bytes) -> list[bytes]:
    """Every different neighbourhood of a high byte: two bytes before it, itself, one after (blanks at the text's ends)."""
    found: Counter[bytes] = Counter()
    padded = b"  " + data + b" "
    for match in islice(_HIGH.finditer(data), _MOST_BYTES):
        found[padded[match.start() : match.start() + 4]] += 1
    return list(found)


def _holds(data: bytes, name: str) -> bool:
    if name.startswith("iso"):
        return not any(0x80 <= byte <= 0x9F for byte in set(data))
    try:
        bytes(set(data)).decode(name)
    except UnicodeDecodeError:
        return False
    return True


def _letters(context: bytes, name: str) -> tuple[str, str, str, str]:
    text = context.decode(name, "replace")
    return text[0], text[1], text[2], text[3]


def _plausibility(earlier: str, before: str, letter: str, after: str) -> int:
    if not letter.isalpha() or letter in "ªº":
        return _sign_plausibility(earlier, before, letter, after)
    if not before.isalpha() and not after.isalpha() and letter not in "Øàè":
        return -1
    if letter.isupper() and before.islower():
        return -4
    if letter.islower() and before.isupper() and earlier.isupper():
        return -3
    if letter.islower() and after.isupper():
        return -3
    rules = _LETTERS.get(letter.lower(), ())
    return next((score for left, right, score in rules if _matches(left, before) and _matches(right, after)), 0)


def _matches(wanted: str, neighbour: str) -> bool:
    neighbour = neighbour.lower()
    if wanted == "*":
        return True
    if not neighbour.isalpha():
        return wanted == "E"
    if wanted in ("V", "C", "E"):
        return wanted == ("V" if neighbour in _VOWELS else "C")
    return neighbour in wanted


def _sign_plausibility(earlier: str, before: str, sign: str, after: str) -> int:
    if before.isalpha() and after.isalpha():
        return 0 if sign in _BETWEEN_LETTERS else -4
    if sign in "²³":
        measure = before == "m" and (not earlier.isalpha() or earlier in "cdkmµ")
        return 3 if measure or before.isdigit() else -2
    if sign in "£¥":
        return -3 if after.isalpha() or before.isalpha() else 1
    if sign in "¿¡":
        return 0 if after.isupper() and not before.isalpha() else -3
    if sign in "½¼¾":
        return -3 if before.isalpha() or after.isalpha() else 1
    if sign == "º":
        return 1 if before.isdigit() else -1
    return -3 if sign in _NEVER_IN_TEXT else 0


def _examples(data: bytes, best: str, rival: str) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for match in islice(compile_pattern(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*").finditer(data), 10_000):
        readings = match[0].decode(best, "replace"), match[0].decode(rival, "replace")
        if readings[0] != readings[1]:
            found[readings] = None
        if len(found) == 3:
            break
    return tuple(found)
