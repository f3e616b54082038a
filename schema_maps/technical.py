"""Is a header already a name that people say, or a code whose meaning a person has to approve?

The rule leans towards "technical": a technical header can still be asked for under its own literal name, so a business name
taken for a code costs a synonym; a code taken for a name would let a guess stand for a meaning.
"""

from __future__ import annotations

import re
from functools import lru_cache

import simplemma

from parsers.fold import fold
from schema_maps.lexicon import is_abbreviation
from schema_maps.segment import segment
from schema_maps.word_lists import word_list

# Words of up to three letters that belong to ordinary language; dictionaries hold too much noise at this length to be asked.
_SHORT_WORDS = word_list("short_words")
# Mixed or upper case that people say: P&L lines, measures, postal and tax words.
_SPOKEN = word_list("spoken")
_PERIOD = re.compile(
    r"""(?ix) (?: (?:q|kw|cw|wk|w|m|h|gj|fy|hj)[\s.]?\d{1,4} | \d{1,2}[\s.]?(?:q|quartal|hj) | (?:19|20)\d\d
    | \d{1,4}(?:[./-]\d{1,4}){1,2}
    | (?:19|20)\d\d[\s./-]?(?:q[1-4]|kw\d\d?|m\d\d?) | (?:q[1-4]|kw\d\d?|m\d\d?)[\s._/-]?(?:19|20)?\d\d )\Z"""
)
_MONTHS = word_list("months")
_VOWELS = frozenset("aeiouyąęó")
_LINKS = ("", "s", "es", "n", "en", "er", "e")


def is_technical(header: str) -> bool:
    """True for a code (`rev_net_adj_eur`, `NETWR_EUR`, `LFSTA`, `custNo`, `kdnr`), False for a business name ("Nettoumsatz
    [PLN]", "Region", "KW01", "Jan 24", `state_name`). A path of several header rows is technical if one of its texts is."""
    return any(_technical_text(text) for text in re.split(r"\s+/\s+|[\r\n]+", header) if text.strip())


def business_name(header: str, name: str) -> str:
    """The name under which people ask for a header that is not technical: `state_name` -> "state name", else `name` as it is
    (the header without its unit)."""
    return name.replace("_", " ").strip() if "_" in name and " " not in name.strip() else name.strip()


def _technical_text(text: str) -> bool:
    bare = re.sub(r"[\[(][^\])]*[\])]\s*\Z", "", text.strip()).strip() or text.strip()
    if _PERIOD.match(bare) or not any(letter.isalpha() for letter in bare):
        return False
    words = bare.split()
    if len(words) > 1:
        return all(_technical_word(word) or word.isdigit() for word in words) or any("_" in w.strip("_") for w in words)
    return _technical_word(words[0])


def _technical_word(word: str) -> bool:
    word = word.strip(".,:;%")
    folded = fold(word)
    if _PERIOD.match(word) or folded in _SPOKEN or folded in _MONTHS or len(word) <= 1:
        return False
    if "_" in word:
        return not all(_ordinary(part) for part in segment(word))
    if "-" in word.strip("-"):  # Shop-Besuche, Plan-Ist
        return all(_technical_word(part) for part in word.split("-") if part)
    if is_abbreviation(folded) and folded not in _SHORT_WORDS:
        return True
    if word.isupper():
        return not (len(folded) > 2 and _ordinary(folded))
    if _is_camel(word):
        return True
    if any(letter.isdigit() for letter in word):
        parts = segment(word)
        return not all(_ordinary(part) for part in parts) or any(len(part) == 1 and part.isalpha() for part in parts)
    if word[:1].isupper():  # a capitalised single word is a name unless no one could say it
        return not (_sayable(folded) or _ordinary(word))
    return not _ordinary(word)


def _is_camel(word: str) -> bool:
    return re.search(r"[a-zäöüß][A-ZÄÖÜ]", word) is not None


@lru_cache(maxsize=8192)
def _ordinary(part: str) -> bool:
    """A word of German, English or Polish, also a German compound; never an abbreviation of the lexicon."""
    folded = fold(part)
    if folded.isdigit() or folded in _SHORT_WORDS or folded in _SPOKEN:
        return True
    if len(folded) == 1:  # e_mail, x-Achse
        return True
    if len(folded) <= 3 or is_abbreviation(folded):
        return False
    return _known(part, "de", "en") or _compound(part.lower()) or not part.isascii() or _known(part, "pl")


def _known(word: str, *languages: str) -> bool:
    """A dictionary takes seconds to load, Polish three of them, so one is asked only where those before do not know the word."""
    spellings = {word, word.lower(), word.capitalize(), *_with_umlauts(word.lower())}
    return any(simplemma.is_known(spelling, lang=language) for language in languages for spelling in spellings)


def _compound(word: str) -> bool:
    """Two or three known German words of at least four letters, with a linking sound between ("sendedatum", "einschaltquote")."""
    for cut in range(4, len(word) - 3):
        rest = word[cut:]
        if not any(_known_german(word[:cut].removesuffix(link) + ("" if word[:cut].endswith(link) else "\0")) for link in _LINKS):
            continue
        if _known_german(rest) or (len(rest) >= 8 and _compound(rest)):
            return True
    return False


@lru_cache(maxsize=8192)
def _known_german(word: str) -> bool:
    if len(word) < 3 or "\0" in word:
        return False
    spellings = {word, word.capitalize(), word + "e", (word + "e").capitalize()}
    spellings |= {s for w in tuple(spellings) for s in _with_umlauts(w)}
    return any(simplemma.is_known(spelling, lang="de") for spelling in spellings)


def _with_umlauts(word: str) -> tuple[str, ...]:
    plain = word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")
    return (plain,) if plain != word else ()


def _sayable(folded: str) -> bool:
    """Vowels and consonants alternate as in words: no run of five consonants, a vowel in every four letters."""
    if len(folded) < 4 or re.search(r"[^aeiouy\W\d]{5,}", folded):
        return False
    return sum(letter in _VOWELS for letter in folded) * 4 >= len(folded)
