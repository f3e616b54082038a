"""A file -> its grids, whatever its kind; the kind is told from the content, never from the name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.problem import Problem
from parsers.read_csv import read_csv
from parsers.read_xlsx import read_xlsx
from parsers.xlsx_package import Package
from parsers.xlsx_workbook import workbook_part


def read_grids(
    path: Path,
    *,
    file_name: str | None = None,
    encoding: str | None = None,
    progress: Callable[[str, int], None] | None = None,
    limits: ReadLimits = DEFAULT_LIMITS,
) -> tuple[str, tuple[Grid, ...], tuple[Problem, ...]]:
    """(kind, grids in workbook order, problems). First version: XLSX and CSV only."""
    file = file_name or path.name
    with path.open("rb") as stream:
        head = stream.read(4)
    if head == b"PK\x03\x04":
        with Package(path, file, limits) as package:
            part = workbook_part(package)
            assert part is not None
            return ("xlsx", *read_xlsx(package, part, limits=limits, progress=progress))
    kind, grid, problems = read_csv(path, file, encoding=encoding)
    return kind, (grid,), problems
