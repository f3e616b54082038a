"""Styles of OpenDocument spreadsheets as number format codes, bold, and hidden sheets."""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers.cell_values import PLAIN_STYLE, CellStyle
from parsers.number_format import is_date_format

_DATA_STYLES = frozenset(
    f"number:{kind}-style" for kind in ("number", "percentage", "currency", "date", "time", "boolean", "text")
)
_LONGEST_CHAIN = 32  # parent styles; a longer chain is a circle


@dataclass
class _Named:
    data_style: str | None = None
    parent: str | None = None
    bold: bool | None = None


@dataclass
class OdsStyles:
    """Collects styles from events; names as in the files, `hidden_tables` are table styles with display="false"."""

    hidden_tables: set[str] = field(default_factory=set)
    _codes: dict[str, str] = field(default_factory=dict)
    _cells: dict[str, _Named] = field(default_factory=dict)
    _resolved: dict[str, CellStyle] = field(default_factory=dict)
    _current: str = ""
    _data_style: str = ""
    _pieces: list[str] = field(default_factory=list)
    _literal: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in _DATA_STYLES:
            self._data_style = attributes.get("style:name", "")
            self._pieces = []
        elif self._data_style and name.startswith("number:"):
            if name in ("number:text", "number:currency-symbol"):
                self._literal = []
            else:
                self._pieces.append(_part(name, attributes))
        elif name == "style:style":
            self._current = attributes.get("style:name", "")
            if attributes.get("style:family") == "table-cell":
                named = _Named(attributes.get("style:data-style-name"), attributes.get("style:parent-style-name"))
                self._cells[self._current] = named
        elif name == "style:text-properties" and self._current in self._cells and "fo:font-weight" in attributes:
            self._cells[self._current].bold = attributes["fo:font-weight"] in ("bold", "600", "700", "800", "900")
        elif name == "style:table-properties" and attributes.get("table:display") == "false":
            self.hidden_tables.add(self._current)

    def end(self, name: str) -> None:
        if name in _DATA_STYLES:
            percent = "%" if name == "number:percentage-style" else ""
            self._codes[self._data_style] = "".join(self._pieces) + ("" if percent and "%" in self._pieces else percent)
            self._data_style = ""
        elif name in ("number:text", "number:currency-symbol") and self._literal is not None:
            text = "".join(self._literal)
            self._literal = None
            if name == "number:currency-symbol":
                self._pieces.append(f"[${text}]")
            elif text.strip() != "%":
                self._pieces.append(text if not text.strip(" -./:,") else '"' + text.replace('"', "") + '"')
        elif name == "style:style":
            self._current = ""

    def text(self, piece: str) -> None:
        if self._literal is not None:
            self._literal.append(piece)

    def cell_style(self, name: str | None) -> CellStyle:
        """The style of a cell; facts that it does not give come from its parents."""
        if name is None:
            return PLAIN_STYLE
        style = self._resolved.get(name)
        if style is None:
            style = self._resolved[name] = self._resolve(name)
        return style

    def _resolve(self, name: str) -> CellStyle:
        data_style: str | None = None
        bold: bool | None = None
        following: str | None = name
        for _ in range(_LONGEST_CHAIN):
            named = self._cells.get(following) if following is not None else None
            if named is None:
                break
            data_style = data_style if data_style is not None else named.data_style
            bold = bold if bold is not None else named.bold
            following = named.parent
        code = self._codes.get(data_style or "", "")
        return CellStyle(code, is_date_format(code), bool(bold))


def _part(name: str, attributes: dict[str, str]) -> str:
    long = attributes.get("number:style") == "long"
    match name:
        case "number:number":
            decimals = (
                int(attributes.get("number:decimal-places", "0") or 0)
                if attributes.get("number:decimal-places", "0").isdigit()
                else 0
            )
            whole = "#,##0" if attributes.get("number:grouping") == "true" else "0"
            return whole + ("." + "0" * min(decimals, 30) if decimals else "")
        case "number:scientific-number":
            return "0.00E+00"
        case "number:fraction":
            return "# ?/?"
        case "number:day":
            return "dd" if long else "d"
        case "number:month":
            letters = 2 if long else 1
            return "m" * (letters + 2 if attributes.get("number:textual") == "true" else letters)
        case "number:year" | "number:era":
            return "yyyy" if long else "yy"
        case "number:hours":
            return "hh" if long else "h"
        case "number:minutes":
            return "mm" if long else "m"
        case "number:seconds":
            return "ss" if long else "s"
        case "number:am-pm":
            return "AM/PM"
        case "number:day-of-week":
            return "dddd" if long else "ddd"
        case _:
            return ""
