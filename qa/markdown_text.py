"""Foreign text inside Markdown: no letter of a cell, a header or a file name may become markup, a link or an image."""

from __future__ import annotations

import re
from collections.abc import Callable

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f\u2028\u2029]+")
_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\\"), r"\\\\"),
    (re.compile(r"&(?=#|\w)"), "&amp;"),
    (re.compile(r"<"), "&lt;"),
    (re.compile(r"[`*~|$]"), r"\\\g<0>"),
    (re.compile(r"(?<![^\W_])_|_(?![^\W_])"), r"\\_"),
    # Links and images: a bracket is harmless until something follows it that makes it a reference.
    (re.compile(r"\](?=[(\[:])"), r"]\\"),
    (re.compile(r"://"), r":\\//"),
    (re.compile(r"(?i)\bwww\."), lambda found: found[0][:-1] + r"\."),
    # What begins a heading, a list or a rule at the beginning of a line.
    (re.compile(r"^(?=[#+=>\-])"), r"\\"),
    (re.compile(r"^(\d+)(?=[.)](?:\s|$))"), r"\1\\"),
)
"""(pattern, replacement), in this order; numbers and words stay as they are, for people who see the text unrendered."""


def plain(text: str) -> str:
    """The text on one line, for CommonMark and GitHub's dialect with mathematics between dollar signs."""
    found = _BLANKS.sub(" ", text).strip()
    for pattern, replacement in _RULES:
        found = pattern.sub(replacement, found)
    return found
