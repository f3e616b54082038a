"""Folding of text for comparison: case, umlauts, ß, diacritics, blanks. Never used for display."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Letters that Unicode does not decompose but that people write without their stroke (Łódź = Lodz, Ørsted = Orsted).
_STROKES = str.maketrans(
    {
        "ł": "l",
        "Ł": "l",
        "ø": "oe",
        "Ø": "oe",
        "đ": "d",
        "Đ": "d",
        "ß": "ss",
        "ẞ": "ss",
        "æ": "ae",
        "Æ": "ae",
        "œ": "oe",
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "Ä": "ae",
        "Ö": "oe",
        "Ü": "ue",
        "’": "'",
        "‘": "'",
        "‐": "-",
        "‑": "-",
        "‒": "-",
        "–": "-",
        "—": "-",
        "\u00ad": "",
        "\u200b": "",
        "\ufeff": "",
    }
)
_BLANKS = re.compile(r"\s+")


@lru_cache(maxsize=131072)
def fold(text: str) -> str:
    """Comparison form of a text: NFC, umlauts as ae/oe/ue, ß as ss, no diacritics, lower case, single blanks.

    fold("Łódź ") == fold("LODZ") == "lodz"; fold("Süd") == fold("Sued") == "sued".
    """
    if text.isascii():
        return " ".join(text.lower().split())
    composed = unicodedata.normalize("NFC", text).translate(_STROKES)
    decomposed = unicodedata.normalize("NFKD", composed)
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return _BLANKS.sub(" ", plain.casefold()).strip()


@lru_cache(maxsize=131072)
def plain(text: str) -> str:
    """Lower case without accents and dots: "Müller" and "Muller" are equal, "Mueller" is another name."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_STROKES_ONLY))
    return _BLANKS.sub(" ", "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()).strip()


_STROKES_ONLY = str.maketrans({"ł": "l", "Ł": "l", "ø": "o", "Ø": "o", "đ": "d", "Đ": "d"})
