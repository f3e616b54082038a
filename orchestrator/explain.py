"""How a question was understood, from the plan alone: "Summe von Nettoumsatz, Niederlassung = Danzig, Zeitraum = Q3 2024"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction

from orchestrator.lexicon import Language
from orchestrator.plan import (
    AggregatePlan,
    AnyOf,
    CatalogPlan,
    ColumnRef,
    Compare,
    CompareAggregate,
    CompareColumns,
    Condition,
    DifferencePlan,
    Having,
    HavingIn,
    InRows,
    LikenessPlan,
    ListPlan,
    Missing,
    OneOf,
    Plan,
    SearchPlan,
    Term,
    TermValue,
    TextMatch,
    Within,
)
from orchestrator.scope import Scope, VisibleColumn
from orchestrator.show_value import show_count, show_day, show_number, yes_no
from parsers.table import ColumnType

_AGGREGATIONS: Mapping[str, Mapping[Language, str]] = {
    "sum": {"de": "Summe von", "en": "sum of", "pl": "suma"},
    "average": {"de": "Durchschnitt von", "en": "average of", "pl": "średnia"},
    "median": {"de": "Median von", "en": "median of", "pl": "mediana"},
    "minimum": {"de": "kleinster Wert von", "en": "smallest value of", "pl": "najmniejsza wartość"},
    "maximum": {"de": "größter Wert von", "en": "largest value of", "pl": "największa wartość"},
    "count": {"de": "Anzahl der Zeilen mit", "en": "number of rows with", "pl": "liczba wierszy z"},
    "count_distinct": {
        "de": "Anzahl verschiedener Werte in", "en": "number of different values in", "pl": "liczba różnych wartości w",
    },
    "value": {"de": "Wert von", "en": "value of", "pl": "wartość"},
}  # fmt: skip
_WORDS: Mapping[str, Mapping[Language, str]] = {
    "rows": {"de": "Anzahl der Zeilen", "en": "number of rows", "pl": "liczba wierszy"},
    "times": {"de": "mal", "en": "times", "pl": "razy"},
    "per": {"de": "je", "en": "by", "pl": "według"},
    "without": {"de": "ohne", "en": "without", "pl": "bez"},
    "blank": {"de": "ohne Angabe", "en": "blank", "pl": "bez wartości"},
    "filled": {"de": "mit Angabe", "en": "not blank", "pl": "z wartością"},
    "begins": {"de": "beginnt mit", "en": "begins with", "pl": "zaczyna się od"},
    "ends": {"de": "endet mit", "en": "ends with", "pl": "kończy się na"},
    "contains": {"de": "enthält", "en": "contains", "pl": "zawiera"},
    "occurs": {"de": "kommt vor in", "en": "occurs in", "pl": "występuje w"},
    "occurs_not": {"de": "kommt nicht vor in", "en": "does not occur in", "pl": "nie występuje w"},
    "or": {"de": "oder", "en": "or", "pl": "lub"},
    "not": {"de": "nicht", "en": "not", "pl": "nie"},
    "best": {"de": "größte zuerst", "en": "largest first", "pl": "od największych"},
    "least": {"de": "kleinste zuerst", "en": "smallest first", "pl": "od najmniejszych"},
    "first": {"de": "die ersten", "en": "the first", "pl": "pierwsze"},
    "groups": {"de": "Anzahl verschiedener", "en": "number of different", "pl": "liczba różnych"},
    "alike": {"de": "Zeilen ähnlich der mit", "en": "rows like the one with", "pl": "wiersze podobne do tego z"},
    "about": {"de": "Zeilen, deren Texte passen zu", "en": "rows whose texts are about", "pl": "wiersze, których teksty dotyczą"},
    "list": {"de": "Liste von", "en": "list of", "pl": "lista"},
    "exists": {"de": "Gibt es Zeilen mit", "en": "are there rows with", "pl": "czy są wiersze z"},
    "differences": {"de": "Unterschiede in", "en": "differences in", "pl": "różnice w"},
    "tables": {"de": "vorhandene Tabellen", "en": "the tables there are", "pl": "dostępne tabele"},
    "columns": {"de": "vorhandene Spalten", "en": "the columns there are", "pl": "dostępne kolumny"},
    "values": {"de": "vorhandene Werte von", "en": "the values there are of", "pl": "dostępne wartości"},
    "version": {"de": "Version", "en": "version", "pl": "wersja"},
    "running": {"de": "von Anfang an aufsummiert", "en": "running total", "pl": "suma narastająca"},
    "share": {"de": "in Prozent der Summe", "en": "in percent of the total", "pl": "w procentach sumy"},
    "behind": {"de": "in der Liste direkt nach", "en": "in the list right after", "pl": "na liście zaraz po"},
    "ahead": {"de": "in der Liste direkt vor", "en": "in the list right before", "pl": "na liście tuż przed"},
    "first_row": {"de": "erste Zeile", "en": "first row", "pl": "pierwszy wiersz"},
    "last_row": {"de": "letzte Zeile", "en": "last row", "pl": "ostatni wiersz"},
    "latest": {"de": "mit dem letzten Wert in", "en": "with the last value in", "pl": "z ostatnią wartością w"},
    "earliest": {"de": "mit dem ersten Wert in", "en": "with the first value in", "pl": "z pierwszą wartością w"},
    "rank": {"de": "Rang von {}", "en": "rank of {}", "pl": "miejsce {}"},
    "age": {"de": "Stichtag {}", "en": "as of {}", "pl": "na dzień {}"},
    "outlier_up": {
        "de": "auffällig hoch: mehr als das Anderthalbfache des Quartilsabstands über dem dritten Quartil aller",
        "en": "strikingly high: more than one and a half interquartile ranges above the third quartile of all",
        "pl": "nietypowo wysokie: ponad półtora rozstępu ćwiartkowego powyżej trzeciego kwartyla wszystkich",
    },
    "outlier_down": {
        "de": "auffällig niedrig: mehr als das Anderthalbfache des Quartilsabstands unter dem ersten Quartil aller",
        "en": "strikingly low: more than one and a half interquartile ranges below the first quartile of all",
        "pl": "nietypowo niskie: ponad półtora rozstępu ćwiartkowego poniżej pierwszego kwartyla wszystkich",
    },
    "outlier_both": {
        "de": "auffällig: mehr als das Anderthalbfache des Quartilsabstands unter dem ersten oder über dem dritten Quartil aller",
        "en": "standing out: more than one and a half interquartile ranges below the first or above the third quartile of all",
        "pl": "nietypowe: ponad półtora rozstępu ćwiartkowego poniżej pierwszego lub powyżej trzeciego kwartyla wszystkich",
    },
    "more_up": {
        "de": "stärker gestiegen als alle zusammen",
        "en": "risen more than all together",
        "pl": "wzrost większy niż łączny",
    },
    "more_down": {
        "de": "stärker gesunken als alle zusammen",
        "en": "fallen more than all together",
        "pl": "spadek większy niż łączny",
    },
    "less_up": {
        "de": "schwächer gestiegen als alle zusammen",
        "en": "risen less than all together",
        "pl": "wzrost mniejszy niż łączny",
    },
    "less_down": {
        "de": "schwächer gesunken als alle zusammen",
        "en": "fallen less than all together",
        "pl": "spadek mniejszy niż łączny",
    },
    "visible": {"de": "nur sichtbare Zeilen", "en": "visible rows only", "pl": "tylko widoczne wiersze"},
}  # fmt: skip


def explain(plan: Plan, scope: Scope, language: Language, versions: Mapping[str, str] | None = None) -> str:
    """One sentence without a full stop. `versions`: document -> version_id read; named where the document has several."""
    names = _Names(scope, language)
    match plan:
        case AggregatePlan():
            parts = _aggregate(plan, names)
        case ListPlan():
            word = "exists" if plan.existence else "list"
            parts = [f"{names.word(word)} {', '.join(plan.names)}", *names.conditions(plan.conditions)]
            parts += [_place(plan, names)] if plan.limit == 1 or not plan.order else _order_of_list(plan, names)
            parts += [names.word("visible")] if plan.visible_rows_only else []
        case DifferencePlan():
            labels = [names.version_label(version) for version in (plan.from_version, plan.to_version)]
            parts = [f"{names.word('differences')} {plan.document}", " → ".join(labels)]
        case CatalogPlan():
            column = f" {names.column(plan.column)}" if plan.column is not None else ""
            parts = [f"{names.word(plan.subject)}{column}"]
        case LikenessPlan():
            parts = [names.word("alike"), *names.conditions(plan.anchor), *names.conditions(plan.conditions)]
        case SearchPlan():
            parts = [f"{names.word('about')} „{plan.topic}“"]
    parts += names.versions(versions or {})
    text = ", ".join(part for part in dict.fromkeys(parts) if part)
    return text[:1].upper() + text[1:]


def _place(plan: ListPlan, names: _Names) -> str:
    """Which rows of an ordered list are meant."""
    if plan.beside is not None:
        return f"{names.word('behind' if plan.beside.step == 1 else 'ahead')} {plan.beside.value}"
    if plan.limit is None:
        return ""
    if not plan.order:
        return names.word("last_row" if plan.from_end else "first_row")
    return ", ".join(f"{names.word('latest' if down else 'earliest')} {names.column(ref)}" for ref, down in plan.order)


def describe_filters(plan: Plan, scope: Scope, language: Language) -> list[str]:
    """The filters that hold for every term, short: "Niederlassung Danzig", "Q3 2024"."""
    names = _Names(scope, language)
    if isinstance(plan, ListPlan):
        return [names.short(condition) for condition in plan.conditions]
    if not isinstance(plan, AggregatePlan):
        return []
    common = [c for c in plan.terms[0].conditions if all(c in term.conditions for term in plan.terms)]
    single = _single_term(plan)
    line = _statement_line(single, scope) if single is not None and single.aggregation in ("sum", "value") else None
    common = [condition for condition in common if condition is not line]
    return [names.short(condition) for condition in common]


def describe_measure(plan: Plan, scope: Scope, language: Language) -> str | None:
    """What a single number is, where its column's name alone would mislead: "Durchschnitt von Nettoumsatz"; None elsewhere."""
    term = _single_term(plan)
    if term is None:
        return None
    if term.aggregation in ("sum", "value"):
        line = _statement_line(term, scope)
        return str(line.values[0]) if line is not None else None
    text = _Names(scope, language).term(term)
    return text[:1].upper() + text[1:]


def _single_term(plan: Plan) -> Term | None:
    """The term of a plan that shows just its value."""
    if not isinstance(plan, AggregatePlan) or plan.count_groups or plan.group_by:
        return None
    shown = [output.expression for output in plan.outputs if output.shown]
    return plan.terms[shown[0].term] if len(shown) == 1 and isinstance(shown[0], TermValue) else None


def _statement_line(term: Term, scope: Scope) -> OneOf | None:
    """In a tidied statement with plan and actual, a row's label names the figure ("Materialaufwand"), not the sheet."""
    table = next((table for table in scope.tables if table.sql_name == term.table), None)
    if table is None or not any(column.column.role == "scenario" for column in table.columns):
        return None
    texts = [column for column in table.columns if column.column.type is ColumnType.TEXT]
    labels = [column.sql_name for column in texts if column.column.role == "dimension"]
    found = [
        condition
        for condition in term.conditions
        if isinstance(condition, OneOf) and condition.column.column in labels
        if len(condition.values) == 1 and not condition.negated
    ]
    return found[0] if len(found) == 1 and len(labels) == 1 else None


def _aggregate(plan: AggregatePlan, names: _Names) -> list[str]:
    same = [condition for condition in plan.terms[0].conditions if all(condition in term.conditions for term in plan.terms)]
    shown = [output.name for output in plan.outputs if output.shown]
    terms = []
    for term in plan.terms:
        own = [names.condition(condition) for condition in term.conditions if condition not in same]
        own += [f"{names.word('version')} {names.version_label(term.version_id)}"] if term.version_id is not None else []
        terms.append(names.term(term) + (f" ({', '.join(own)})" if own else ""))
    parts = list(dict.fromkeys(terms))
    if len(plan.terms) > 1 and shown:
        parts = [f"{', '.join(shown)}: {'; '.join(parts)}"]
    if plan.count_groups:
        parts = [f"{names.word('groups')} {', '.join(plan.group_names)}", *parts]
    elif plan.group_names:
        parts.append(f"{names.word('per')} {', '.join(plan.group_names)}")
    parts += [names.word("age").format(show_day(b.as_of, names.language)) for b in plan.buckets if b is not None and b.as_of]
    if plan.window is not None:
        parts.append(names.word(plan.window.kind).format(", ".join(str(key) for key in plan.window.rank_of)))
    if plan.window is not None and plan.window.kind == "rank":
        parts.append(names.word("best" if plan.window.descending else "least"))
    if plan.conspicuous is not None:
        parts.append(names.word(f"{plan.conspicuous.kind}_{plan.conspicuous.side}"))
    parts += names.conditions(same)
    parts += [_having(having, plan, names.language) for having in plan.having]
    if plan.order is not None:
        parts.append(names.word("best" if plan.order.descending else "least"))
        if plan.order.limit is not None:
            parts.append(f"{names.word('first')} {show_count(plan.order.limit, names.language)}")
    if any(term.visible_rows_only for term in plan.terms):
        parts.append(names.word("visible"))
    return parts


def _order_of_list(plan: ListPlan, names: _Names) -> list[str]:
    parts = [f"{names.column(ref)}: {names.word('best' if descending else 'least')}" for ref, descending in plan.order]
    return parts + ([f"{names.word('first')} {show_count(plan.limit, names.language)}"] if plan.limit is not None else [])


def _having(having: Having, plan: AggregatePlan, language: Language) -> str:
    left = plan.outputs[having.output].name
    if having.against_output:
        return f"{left} {having.operator} {plan.outputs[int(having.value)].name}"
    return f"{left} {having.operator} {show_number(Fraction(having.value), None, language).text}"


class _Names:
    """Names of columns and versions as this person sees them, in one language."""

    def __init__(self, scope: Scope, language: Language) -> None:
        self.language = language
        self._scope = scope

    def word(self, key: str) -> str:
        return _WORDS[key][self.language]

    def column(self, ref: ColumnRef) -> str:
        found = self._column(ref)
        return found.names[0] if found is not None else ref.column

    def _column(self, ref: ColumnRef) -> VisibleColumn | None:
        """Of the last version that has it."""
        versions = (table for table in reversed(self._scope.tables) if table.sql_name == ref.table)
        return next((column for table in versions if (column := table.column(ref.column)) is not None), None)

    def table(self, sql_name: str) -> str:
        """The sheet, or the file of a table without one."""
        for table in self._scope.tables:
            if table.sql_name == sql_name:
                return table.stored.table.sheet or table.version.document
        return sql_name

    def term(self, term: Term) -> str:
        if not term.columns:
            return self.word("rows")
        measure = f" {self.word('times')} ".join(self.column(ref) for ref in term.columns)
        return f"{_AGGREGATIONS[term.aggregation][self.language]} {measure}"

    def conditions(self, conditions: Sequence[Condition]) -> list[str]:
        return [self.condition(condition) for condition in conditions]

    def condition(self, condition: Condition) -> str:
        match condition:
            case OneOf():
                sign = "≠" if condition.negated else "="
                return f"{self.column(condition.column)} {sign} {self._values(condition.values)}"
            case Compare():
                return f"{self.column(condition.column)} {condition.operator} {self._value(condition.value, condition.column)}"
            case CompareColumns():
                return f"{self.column(condition.left)} {condition.operator} {self.column(condition.right)}"
            case Within():
                return f"{self.column(condition.column)} {'≠' if condition.negated else '='} {condition.period.label}"
            case Missing():
                return f"{self.column(condition.column)} {self.word('filled' if condition.negated else 'blank')}"
            case TextMatch():
                negated = f"{self.word('not')}: " if condition.negated else ""
                return f"{self.column(condition.column)} {negated}{self.word(condition.kind)} „{condition.text}“"
            case HavingIn():
                bound = self._value(condition.value, condition.term.columns[0])
                return f"{self.column(condition.column)} ({self.term(condition.term)} {condition.operator} {bound})"
            case AnyOf():
                return f" {self.word('or')} ".join(self.condition(option) for option in condition.options)
            case CompareAggregate():
                inner = ", ".join(self.conditions(condition.conditions))
                right = f"{_AGGREGATIONS[condition.aggregation][self.language]} {self.column(condition.of)}"
                return f"{self.column(condition.column)} {condition.operator} {right}{f' ({inner})' if inner else ''}"
            case InRows():
                inner = ", ".join(self.conditions(condition.conditions))
                verb = self.word("occurs_not" if condition.negated else "occurs")
                table = self.table(condition.inner.table)
                return f"{self.column(condition.column)} {verb} {table}{f' ({inner})' if inner else ''}"

    def short(self, condition: Condition) -> str:
        """Without sign where it goes without saying: "Niederlassung Danzig", "Q3 2024", "ohne Danzig"."""
        if isinstance(condition, OneOf):
            values = self._values(condition.values)
            return f"{self.word('without')} {values}" if condition.negated else f"{self.column(condition.column)} {values}"
        if isinstance(condition, Within):
            label = condition.period.label
            return f"{self.word('without')} {label}" if condition.negated else label
        return self.condition(condition)

    def version_label(self, version_id: str) -> str:
        for table in self._scope.tables:
            if table.version.version_id == version_id:
                return table.version.label
        return version_id

    def versions(self, versions: Mapping[str, str]) -> list[str]:
        """Labels of the versions read, where the document has more than one."""
        by_document: dict[str, set[str]] = {}
        for table in self._scope.tables:
            by_document.setdefault(table.version.document, set()).add(table.version.version_id)
        return [
            f"{self.word('version')} {self.version_label(version_id)}"
            for document, version_id in versions.items()
            if len(by_document.get(document, ())) > 1
        ]

    def _values(self, values: Sequence[str | Decimal | date | bool]) -> str:
        texts = [self._value(value, None) for value in values]
        return ", ".join(texts[:8]) + (f", … (+{len(texts) - 8})" if len(texts) > 8 else "")

    def _value(self, value: str | Decimal | date | bool, ref: ColumnRef | None) -> str:
        if isinstance(value, bool):
            return yes_no(value, self.language)
        if isinstance(value, date):
            return show_day(value, self.language)
        if isinstance(value, Decimal):
            found = self._column(ref) if ref is not None else None
            return format(value, "f") if found is None else show_number(Fraction(value), found.unit, self.language).text
        return value
