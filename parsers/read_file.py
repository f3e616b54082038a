"""A file -> its grids, whatever its kind; the kind is told from the content, never from the name."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from parsers.file_kind import check_ole, container_of, kind_of_package
from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.problem import Problem
from parsers.read_csv import read_csv
from parsers.read_ods import read_ods
from parsers.read_xls import read_xls
from parsers.read_xlsb import read_xlsb
from parsers.read_xlsx import read_xlsx
from parsers.xlsx_package import Package, unreadable


def read_grids(
    path: Path,
    *,
    file_name: str | None = None,
    encoding: str | None = None,
    progress: Callable[[str, int], None] | None = None,
    limits: ReadLimits = DEFAULT_LIMITS,
) -> tuple[str, tuple[Grid, ...], tuple[Problem, ...]]:
    """(kind, grids in workbook order, problems); kind is xlsx, xlsm, xlsb, xls, ods, csv or tsv.

    `file_name` stands in sentences in place of the path's own name (content-addressed originals). `encoding` is for CSV only
    and decides over the evidence of the bytes. `progress` gets (sheet or file name, last row read), now and then.
    Raises UnreadableFile with one sentence for everything that is no readable table, and FileNotFoundError.
    """
    with paused_collector():
        return _read(path, file_name or path.name, encoding, progress, limits)


def _read(
    path: Path, file: str, encoding: str | None, progress: Callable[[str, int], None] | None, limits: ReadLimits
) -> tuple[str, tuple[Grid, ...], tuple[Problem, ...]]:
    if path.stat().st_size > limits.file_bytes:
        raise unreadable(
            file, "limit", f"Die Datei ist größer als {limits.file_bytes >> 20} MiB; so große Dateien werden nicht gelesen."
        )
    container = container_of(path, file)
    if container == "ole":
        check_ole(path, file)
        return ("xls", *read_xls(path, file, limits=limits, progress=progress))
    if container == "text":
        csv_kind, grid, problems = read_csv(path, file, encoding=encoding, limits=limits, progress=progress)
        return csv_kind, (grid,), problems
    with Package(path, file, limits) as package:
        kind, part = kind_of_package(package)
        if kind in ("xlsx", "xlsm"):
            return (kind, *read_xlsx(package, part, limits=limits, progress=progress))
        if kind == "xlsb":
            return (kind, *read_xlsb(package, part, limits=limits, progress=progress))
        return (kind, *read_ods(package, part, limits=limits, progress=progress))


@contextmanager
def paused_collector() -> Iterator[None]:
    """No garbage collection inside: millions of new cells, none of them garbage, would be looked through again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()  # both together: the new objects count as old ones, so that only a full collection looks at them
            gc.unfreeze()
            gc.enable()
