"""The one text form of tables and meanings, for people and for prompts."""

from __future__ import annotations

from collections.abc import Mapping

from schema_maps.schema_map import Aggregation, ColumnMeaning, Relation, SheetMap, TenantMap

_AGGREGATION_WORDS: dict[Aggregation, str] = {
    "sum": "summierbar",
    "stock": "Bestand, nicht über Perioden summierbar",
    "none": "nicht summierbar",
}
_STATUS_WORDS = {"proposed": "vorgeschlagen", "approved": "freigegeben", "rejected": "abgelehnt"}


def describe_sheet_map(sheet_map: SheetMap) -> str:
    """A sheet's meanings with status, person and time."""
    title = sheet_map.document if sheet_map.sheet is None else f"{sheet_map.document}, Blatt „{sheet_map.sheet}“"
    if sheet_map.inherited_from:
        title += f" (übernommen von {sheet_map.inherited_from})"
    lines = [title]
    if sheet_map.levels:
        lines.append(f"  Zeilenfilter: {_levels_text(sheet_map.levels)}")
    lines += [f"  {_meaning_line(column)}" for column in sheet_map.columns]
    return "\n".join(lines)


def describe_tenant_map(tenant_map: TenantMap) -> str:
    """All maps, relations and synonyms of a tenant."""
    blocks = [describe_sheet_map(sheet_map) for sheet_map in tenant_map.sheets]
    if tenant_map.relations:
        blocks.append("\n".join(["Beziehungen (viele -> eins)", *(f"  {_relation_line(r)}" for r in tenant_map.relations)]))
    if tenant_map.synonyms:
        words = [f"  {word}: {', '.join(also)}" for word, also in tenant_map.synonyms.items()]
        blocks.append("\n".join(["Synonyme", *words]))
    return "\n\n".join(blocks) if blocks else "Keine Schema-Map vorhanden."


def one_line(text: str) -> str:
    """Text of a file as quoted data: no line breaks or control characters, at most 200 characters."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    plain = " ".join(plain.split())
    return plain if len(plain) <= 200 else plain[:199] + "…"


def _meaning_line(column: ColumnMeaning) -> str:
    unit = f" [{column.unit}]" if column.unit else ""
    also = f", auch: {', '.join(column.synonyms)}" if column.synonyms else ""
    levels = f", Stufen: {_levels_text(column.levels)}" if column.levels else ""
    aggregation = f", {_AGGREGATION_WORDS[column.aggregation]}" if column.aggregation else ""
    who = f" durch {column.by}" if column.by else ""
    when = f" am {column.at:%Y-%m-%d %H:%M}" if column.at else ""
    reason = f" – {column.reason}" if column.reason and column.status != "approved" else ""
    status = f"{_STATUS_WORDS[column.status]}{who}{when}"
    personal = ", personenbezogen" if column.personal else ""
    return f"{one_line(column.header)} = {column.name}{unit}{also}{levels}{aggregation}{personal} ({status}){reason}"


def _levels_text(levels: Mapping[str, Mapping[str, tuple[str, ...]]]) -> str:
    texts = []
    for level, rows in levels.items():
        conditions = "; ".join(f"{column} = {' oder '.join(values)}" for column, values in rows.items())
        texts.append(f"{level} ({conditions})" if conditions else level)
    return ", ".join(texts)


def _relation_line(relation: Relation) -> str:
    ends = []
    for end in (relation.many, relation.one):
        place = end.document if end.sheet is None else f"{end.document}, Blatt „{end.sheet}“"
        ends.append(f"{place}: {one_line(end.header)}")
    status = (
        f"freigegeben durch {relation.by}"
        if relation.approved and relation.by
        else ("freigegeben" if relation.approved else "gemessen")
    )
    return f"{ends[0]} -> {ends[1]} ({status})"
