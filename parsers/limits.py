"""How much of a file the readers accept before they refuse it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadLimits:
    """Upper bounds of one file; beyond them it is refused with a sentence that names the bound.

    `file_bytes`: size on disk, `text_bytes`: that of a CSV. `unpacked_bytes`: all parts of a zip package together.
    `part_bytes`: one part.
    `ratio`: unpacked size to packed size of a part of more than `ratio_from_bytes` (sheet XML is usually below 30; deflate
    cannot exceed 1032). `parts`: entries of the zip directory. `cells`: non-empty cells of all sheets together
    (about 100 bytes each in memory as read, 270 once looked at).
    `problems`: findings of one kind named one by one per sheet; the rest is counted in one more.
    """

    file_bytes: int = 1 << 30
    text_bytes: int = 256 << 20
    unpacked_bytes: int = 2 << 30
    part_bytes: int = 3 << 29
    ratio: int = 250
    ratio_from_bytes: int = 64 << 20
    parts: int = 10_000
    cells: int = 5_000_000
    problems: int = 20


DEFAULT_LIMITS = ReadLimits()
