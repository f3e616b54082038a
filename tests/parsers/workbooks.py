"""Workbooks written by hand, part by part, for what no library would write."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"

# Cell formats by index: General, date, percent, quote prefix, bold with indent 2, currency, month, elapsed time, date and time
STYLES = f"""<styleSheet xmlns="{MAIN}"><numFmts count="5">
<numFmt numFmtId="164" formatCode="0.0%"/><numFmt numFmtId="165" formatCode="#,##0.00\\ [$€-407]"/>
<numFmt numFmtId="166" formatCode="mmm\\ yyyy"/><numFmt numFmtId="167" formatCode="[h]:mm"/>
<numFmt numFmtId="168" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts>
<fonts><font/><font><b/></font></fonts><fills><fill><patternFill patternType="none"/></fill></fills>
<borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs>
<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="49" quotePrefix="1"/>
<xf numFmtId="0" fontId="1"><alignment indent="2"/></xf><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="167"/>
<xf numFmtId="168"/></cellXfs></styleSheet>"""


def sheet_xml(rows: str, *, before: str = "", after: str = "", namespace: str = MAIN) -> str:
    """A worksheet part with these rows; `before` and `after` stand around sheetData."""
    return f'<worksheet xmlns="{namespace}" xmlns:r="{_OFFICE}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'


def write_xlsx(
    path: Path,
    sheets: Sequence[tuple[str, str]],
    *,
    strings: Sequence[str] = (),
    styles: str | None = STYLES,
    workbook_extra: str = "",
    states: Mapping[str, str] | None = None,
    parts: Mapping[str, str | bytes] | None = None,
    namespace: str = MAIN,
) -> Path:
    """An XLSX file of (sheet name, sheet part) pairs. `strings` are the inner XML of shared strings; `parts` replaces or adds
    parts by name. The sheet parts are numbered against the workbook order, so that only relationships lead to the right one."""
    count = len(sheets)
    states = states or {}
    entries = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"' + (f' state="{states[name]}"/>' if name in states else "/>")
        for number, (name, _) in enumerate(sheets, start=1)
    )
    relationships = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{count + 1 - number}.xml"/>'
        for number in range(1, count + 1)
    )
    content: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types><Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{namespace}" xmlns:r="{_OFFICE}">{workbook_extra}<sheets>{entries}</sheets>'
        f"</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}">{relationships}'
        f'<Relationship Id="s" Type="{_OFFICE}/styles" Target="styles.xml"/>'
        f'<Relationship Id="t" Type="{_OFFICE}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>',
        "xl/sharedStrings.xml": f'<sst xmlns="{namespace}">' + "".join(f"<si>{text}</si>" for text in strings) + "</sst>",
    }
    if styles is not None:
        content["xl/styles.xml"] = styles
    for number, (_, xml) in enumerate(sheets, start=1):
        content[f"xl/worksheets/sheet{count + 1 - number}.xml"] = xml
    content.update(parts or {})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in content.items():
            package.writestr(name, text)
    return path
