"""Headers cut into parts: snake_case, camelCase, UPPER codes, letters apart from digits."""

from __future__ import annotations

import re

from parsers.fold import fold

_SEPARATORS = re.compile(r"[\s_.\-/|:;,#()\[\]{}]+")
_CAMEL = re.compile(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|(?<=[A-ZÄÖÜ])(?=[A-ZÄÖÜ][a-zäöüß])")
_DIGITS = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_PERIOD_PART = re.compile(r"(?:[qmhw]|kw|fy|gj|wk|cw)\d{1,4}", re.IGNORECASE)


def segment(header: str) -> tuple[str, ...]:
    """Folded parts in order: "rev_net_adj_eur" -> (rev, net, adj, eur), "orderDateUTC" -> (order, date, utc),
    "NAME1" -> (name, 1).

    Period marks stay whole: "rev_q1_2024" -> (rev, q1, 2024).
    """
    parts: list[str] = []
    for piece in _SEPARATORS.split(header):
        for word in _CAMEL.split(piece):
            if _PERIOD_PART.fullmatch(word):
                parts.append(fold(word))
            else:
                parts.extend(fold(part) for part in _DIGITS.split(word))
    return tuple(part for part in parts if part)
