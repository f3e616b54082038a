"""SQL names of tables: from the file's stem and the table's own name, unique in the tenant."""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import PurePath

from parsers.fold import fold

_NOT_IDENTIFIER = re.compile(r"[^a-z0-9]+")
_LONGEST_STEM = 48
_RESERVED_WORDS = (
    "all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default "
    "deferrable desc describe distinct do else end except false fetch for foreign from group having in initially "
    "intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer pivot_wider placing "
    "primary qualify references returning select show some summarize symmetric table then to trailing true union unique "
    "unpivot using variadic when where window with"
)
"""Reserved words of DuckDB 2.0 (duckdb_keywords()): a table of such a name could only be asked with quotes."""
_RESERVED = frozenset(_RESERVED_WORDS.split())


def stem_name(document: str) -> str:
    """ "Bericht Ergebnisse Q3-2024.xlsx" -> "bericht_ergebnisse_q3_2024"; never two underscores in a row, never a digit first."""
    name = _NOT_IDENTIFIER.sub("_", fold(PurePath(document).stem)).strip("_")[:_LONGEST_STEM].strip("_") or "datei"
    if name[0].isdigit():
        name = f"t_{name}"
    return f"{name}_tabelle" if name in _RESERVED else name


def sql_name_for(document: str, table_name: str, taken: Container[str]) -> str:
    """The file's stem, followed by "__" and the table's name where it has one, with the first number that makes it free."""
    stem = stem_name(document)
    name = f"{stem}__{table_name}" if table_name else stem
    number = 2
    while name in taken:
        name = f"{stem}_{number}__{table_name}" if table_name else f"{stem}_{number}"
        number += 1
    return name
