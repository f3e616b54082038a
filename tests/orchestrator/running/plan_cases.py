"""Plans over small tables with the values, cells, warnings or stops that a person works out by hand.

Each case is a kind of fault known from public bug reports of other tools, or a rule of the contract. A new case is a new row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from orchestrator.plan import (
    AggregatePlan,
    Arithmetic,
    Change,
    ColumnRef,
    Compare,
    CompareColumns,
    Condition,
    Expression,
    Having,
    InRows,
    Join,
    ListPlan,
    Missing,
    OneOf,
    Order,
    Output,
    Plan,
    Ratio,
    Term,
    TermValue,
    TextMatch,
    Within,
)
from parsers.periods import Period
from tests.orchestrator.running.small_tables import Small, period


@dataclass(frozen=True)
class Case:
    """`rows`: machine values; `cells`: cells of the value in the last column of each row; `stop`: code/kind instead."""

    name: str
    tables: Mapping[str, Small]
    plan: Plan
    rows: list[list[str | None]] = field(default_factory=list)
    unit: str | None = None
    cells: list[list[str]] | None = None
    warnings: tuple[str, ...] = ()
    stop: str | None = None
    fraction: str | None = None
    text_holds: str = ""


def ref(column: str, table: str = "t") -> ColumnRef:
    return ColumnRef(table, column)


def total(column: str, *conditions: Condition, how: str = "sum", table: str = "t", **more: object) -> Term:
    columns = (ref(column, table),) if column else ()
    return Term(table, how, columns, conditions=conditions, **more)  # type: ignore[arg-type]


def one(term: Term, name: str = "Wert", **more: object) -> AggregatePlan:
    return AggregatePlan((term,), (Output(name, TermValue(0), **more),))  # type: ignore[arg-type]


def of(terms: tuple[Term, ...], expression: Expression, **more: object) -> AggregatePlan:
    return AggregatePlan(terms, (Output("Wert", expression, **more),))  # type: ignore[arg-type]


def by(group: str, *terms: Term, order: Order | None = None, having: tuple[Having, ...] = (), **more: object) -> AggregatePlan:
    outputs = tuple(Output(f"Wert {i}", TermValue(i)) for i in range(len(terms)))
    return AggregatePlan(terms, outputs, (ref(group),), (group,), having, order, **more)  # type: ignore[arg-type]


def is_(column: str, *values: str, table: str = "t") -> OneOf:
    return OneOf(ref(column, table), values)


def not_(column: str, *values: str) -> OneOf:
    return OneOf(ref(column), values, negated=True)


def days(start: str, end: str) -> Period:
    return Period(date.fromisoformat(start), date.fromisoformat(end), "range", f"{start} bis {end}")


B05 = {"t": Small("Kunde:text;Umsatz:decimal:EUR\nAlpha;100\nBeta;\nGamma;0\nDelta;200")}
B06 = {
    "t": Small(
        "Zeit:timestamp;Betrag:decimal\n2024-06-30 23:59:59;80\n2024-07-01 00:00:00;10\n2024-09-30 14:30:00;20\n"
        "2024-10-01 00:00:00;40"
    )
}
B08 = {"t": Small("Lieferant:text;Lieferungen:integer;Reklamationen:integer\nAlpha;3;1")}
B10 = {"t": Small("Kunde:text;Umsatz:decimal\nA;500\nB;400\nC;300\nD;300\nE;100")}
B11 = {"t": Small("Region:text;Kunde:text;Umsatz:decimal\nNord;A;60\nNord;B;40\nSüd;C;100")}
B14 = {
    "t": Small(
        "Faktura:text;Kwota:decimal:@Waluta;Waluta:text\nF1;50000.00;PLN\nF2;50000.01;PLN\nF3;49999.99;PLN\nF4;60000.00;EUR"
    )
}
B13 = {
    "t": Small(
        "Kunde:text;Umsatz:decimal\nAlpha;60\nAlpha;60\nBeta;100\nGamma;30\nGamma;30\nGamma;30\nDelta;80\nZeta;70\nEpsilon;10"
    )
}
B16 = {"t": Small("Ort:text;Umsatz:decimal\nDanzig;100\nPosen;200\n;50\nDanzig;30")}
B17 = {"t": Small("Werk:text;Umsatz:decimal:EUR;Kosten:decimal:EUR\nA;1000;900\nB;100;50")}
B19 = {"t": Small("Datum:date;Betrag:decimal\n2023-06-13;1\n2024-01-05;10\n2024-06-12;20\n2024-06-13;40")}
A19 = {"t": Small("Sparte:text;Umsatz:decimal:TEUR;Invest:decimal:Mio. EUR\nKabel;1247.89;1.2\nRohre;300;0.05")}
A20 = {"t": Small("Kunde:text;Betrag:decimal:@Währung;Währung:text\nAlpha;100;PLN\nBeta;100;EUR\nGamma;50;EUR")}
A10 = {"t": Small("Kunde:text;Umsatz:decimal:EUR;Quote:decimal\nAlpha;100;0.2\nBeta;#REF!;0.1\nGamma;50;#DIV/0!")}
A08 = {"t": Small("Kunde:text;Umsatz:decimal\nAlpha;100\nBeta;200\nGamma;300", hidden=(3,))}
ORDERS = {
    "t": Small("Nr:text;Kunde:text;Artikel:text;Menge:integer:Stück\n1;K1;a;2\n2;K1;b;3\n3;K2;a;5\n4;K9;c;1"),
    "k": Small("Kunde:text;Land:text\nK1;PL\nK2;DE\nK3;PL"),
    "a": Small("Artikel:text;Preis:decimal:EUR\na;1.25\nb;10"),
}
TO_CUSTOMER = Join(ref("kunde"), ref("kunde", "k"), True)
TO_ARTICLE = Join(ref("artikel"), ref("artikel", "a"), False)
QUARTERS = {
    "t": Small(
        "Filiale:text;Zeitraum:period;Umsatz:decimal:PLN;Marge:decimal:%\n"
        "Danzig;Q1 2024;10;30\nDanzig;Q2 2024;20;32\nDanzig;Q3 2024;15;34.2\n"
        "Posen;Q1 2024;5;20\nPosen;Q2 2024;;21\nPosen;Q3 2024;7.5;25"
    )
}
Q2, Q3, Y2024 = (Within(ref("zeitraum"), period(label)) for label in ("Q2 2024", "Q3 2024", "2024"))
DANZIG = is_("filiale", "Danzig")

CASES = [
    Case("b05 average leaves the blank cell out", B05, one(total("umsatz", how="average")), [["100"]], "EUR",
         [["B2", "B4", "B5"]], ("missing_skipped",)),
    Case("b05 number of customers", B05, one(total("kunde", how="count_distinct")), [["4"]], None, [["A2", "A3", "A4", "A5"]]),
    Case("b05 zero is a value", B05, one(total("umsatz", is_("kunde", "Gamma"), how="value")), [["0"]], "EUR", [["B4"]]),
    Case("b05 a blank cell is none", B05, one(total("umsatz", is_("kunde", "Beta"), how="value")),
         stop="not_in_data/missing_cells"),
    Case("sum of nothing but blanks is none", B05, one(total("umsatz", is_("kunde", "Beta"))), stop="not_in_data/missing_cells"),
    Case("b06 the last day counts to its end", B06, one(total("betrag", Within(ref("zeit"), days("2024-07-01", "2024-09-30")))),
         [["30"]], None, [["B3", "B4"]]),
    Case("b06 after a day", B06, one(total("betrag", Compare(ref("zeit"), ">", date(2024, 9, 30)))), [["40"]]),
    Case("b06 up to a day", B06, one(total("betrag", Compare(ref("zeit"), "<=", date(2024, 9, 30)))), [["110"]]),
    Case("b06 on a day", B06, one(total("betrag", Compare(ref("zeit"), "=", date(2024, 9, 30)))), [["20"]]),
    Case("b08 ratio of two counts", B08,
         of((total("reklamationen"), total("lieferungen")), Ratio(TermValue(0), TermValue(1), percent=True)),
         [["33.33"]], "%", [["B2", "C2"]], ("rounded",), fraction="100/3", text_holds="rund 33,33 %"),
    Case("b10 all that tie at the border", B10, by("kunde", total("umsatz"), order=Order(0, True, 3)),
         [["A", "500"], ["B", "400"], ["C", "300"], ["D", "300"]], None, [["B2"], ["B3"], ["B4"], ["B5"]], ("ties_listed",)),
    Case("bottom two", B10, by("kunde", total("umsatz"), order=Order(0, False, 1)), [["E", "100"]]),
    Case("b11 share of the whole", B11,
         of((total("umsatz", is_("kunde", "A")), total("umsatz")), Ratio(TermValue(0), TermValue(1), True, "share")),
         [["30"]], "%", [["C2"]]),
    Case("b11 share of a group", B11,
         of((total("umsatz", is_("kunde", "A"), is_("region", "Nord")), total("umsatz", is_("region", "Nord"))),
            Ratio(TermValue(0), TermValue(1), True, "share")), [["60"]], "%"),
    Case("b13 summed before ranked", B13, by("kunde", total("umsatz"), order=Order(0, True, 5)),
         [["Alpha", "120"], ["Beta", "100"], ["Gamma", "90"], ["Delta", "80"], ["Zeta", "70"]], None,
         [["B2", "B3"], ["B4"], ["B5", "B6", "B7"], ["B8"], ["B9"]]),
    Case("b16 without keeps the blank row", B16, one(total("umsatz", not_("ort", "Danzig"))), [["250"]], None, [["B3", "B4"]]),
    Case("b16 blank place", B16, one(total("umsatz", Missing(ref("ort")))), [["50"]], None, [["B4"]]),
    Case("b16 groups with a blank name", B16, by("ort", total("umsatz")), [["Danzig", "130"], ["Posen", "200"], [None, "50"]]),
    Case("b17 ratio of sums, not mean of ratios", B17,
         of((total("umsatz"), total("kosten")),
            Ratio(Arithmetic("-", TermValue(0), TermValue(1)), TermValue(0), percent=True)),
         [["13.64"]], "%", None, ("rounded",), fraction="150/11"),
    Case("b19 year to date", B19, one(total("betrag", Within(ref("datum"), days("2024-01-01", "2024-06-12")))), [["30"]], None,
         [["B3", "B4"]]),
    Case("a19 thousands to single", A19, one(total("umsatz"), convert_to="EUR"), [["1547890"]], "EUR", [["B2", "B3"]]),
    Case("a19 millions to single", A19, one(total("invest"), convert_to="EUR"), [["1250000"]], "EUR", [["C2", "C3"]]),
    Case("a19 the stored scale", A19, one(total("umsatz")), [["1547.89"]], "TEUR"),
    Case("a19 scales meet in a ratio", A19,
         of((total("invest"), total("umsatz")), Ratio(TermValue(0), TermValue(1), percent=True)),
         [["80.76"]], "%", None, ("rounded",), fraction="12500000/154789"),
    Case("a19 scales meet in a difference", A19, of((total("umsatz"), total("invest")), Arithmetic("-", TermValue(0),
         TermValue(1))),
         [["297.89"]], "TEUR"),
    Case("a19 never to another currency", A19, one(total("umsatz"), convert_to="PLN"), stop="mixed_currency/mixed_currency"),
    Case("a20 two currencies are not added", A20, one(total("betrag")), stop="mixed_currency/mixed_currency"),
    Case("a20 by currency", A20, by("waehrung", total("betrag")), [["PLN", "100"], ["EUR", "150"]], None, [["B2"], ["B3", "B4"]]),
    Case("a20 one currency by a filter", A20, one(total("betrag", is_("waehrung", "EUR"))), [["150"]], "EUR"),
    Case("a20 one currency by chance", A20, one(total("betrag", is_("kunde", "Alpha"))), [["100"]], "PLN"),
    Case("a20 no average over currencies", A20, one(total("betrag", how="average")), stop="mixed_currency/mixed_currency"),
    Case("a20 no maximum over currencies", A20, one(total("betrag", how="maximum")), stop="mixed_currency/mixed_currency"),
    Case("a20 rows keep their unit", A20, ListPlan("t", (ref("kunde"), ref("betrag")), ("Kunde", "Betrag")),
         [["Alpha", "100"], ["Beta", "100"], ["Gamma", "50"]], None, [["B2"], ["B3"], ["B4"]]),
    Case("a10 an error cell is no zero", A10, one(total("umsatz")), stop="incomplete_data/unreadable_cells"),
    Case("a10 looked up", A10, one(total("quote", is_("kunde", "Gamma"), how="value")), stop="incomplete_data/unreadable_cells"),
    Case("a10 not needed", A10, one(total("umsatz", is_("kunde", "Alpha", "Gamma"))), [["150"]], "EUR"),
    Case("a10 a filter that cannot be read", A10, one(total("", Compare(ref("umsatz"), ">", Decimal(60)), how="count")),
         stop="incomplete_data/unreadable_filter_cells"),
    Case("a10 shown in a list", A10, ListPlan("t", (ref("kunde"), ref("umsatz")), ("Kunde", "Umsatz")),
         stop="incomplete_data/unreadable_cells"),
    Case("a16 contradictory styles", {"t": Small("Kunde:text;Betrag:decimal\nAlpha;1.5", blocked=("Betrag",))},
         one(total("betrag")),
         stop="incomplete_data/blocked_column"),
    Case("a08 hidden rows count and are said", A08, one(total("umsatz")), [["600"]], None, None, ("hidden_included",)),
    Case("a08 visible rows only", A08, one(total("umsatz", visible_rows_only=True)), [["400"]], None, [["B2", "B4"]]),
    Case("printed total agrees", {"t": Small(B10["t"].text, totals=(("Gesamt", "Umsatz", "1600"),))}, one(total("umsatz")),
         [["1600"]]),
    Case("printed total differs", {"t": Small(B10["t"].text, totals=(("Gesamt", "Umsatz", "1500"),))}, one(total("umsatz")),
         [["1600"]],
         None, None, ("total_differs",)),
    Case("printed subtotal differs", {"t": Small(B11["t"].text, totals=(("Summe Nord", "Umsatz", "90"),))},
         one(total("umsatz", is_("region", "Nord"))), [["100"]], None, None, ("total_differs",)),
    Case("printed subtotal of another group", {"t": Small(B11["t"].text, totals=(("Summe Nord", "Umsatz", "90"),))},
         one(total("umsatz", is_("region", "Süd"))), [["100"]]),
    Case("a level's rows are not held against the printed total",
         {"t": Small(B11["t"].text, totals=(("Gesamt", "Umsatz", "200"),), row_filter={"region": ("Nord",)})},
         one(total("umsatz")), [["100"]], None, [["C2", "C3"]]),
    Case("average of a ratio column", QUARTERS, one(total("marge", Q3, how="average")), [["29.6"]], "%", [["D4", "D7"]],
         ("plain_mean_of_ratios",)),
    Case("percent as people say it", QUARTERS, one(total("marge", DANZIG, Q3, how="value")), [["34.2"]], "%", [["D4"]],
         text_holds="34,2 %"),
    Case("change in percent", QUARTERS, of((total("umsatz", DANZIG, Q3), total("umsatz", DANZIG, Q2)), Change(TermValue(0),
         TermValue(1))),
         [["-25"]], "%", [["C3", "C4"]]),
    Case("a zero base is not computable", {"t": Small("Jahr:text;Wert:decimal\nalt;0\nneu;5")},
         of((total("wert", is_("jahr", "neu")), total("wert", is_("jahr", "alt"))), Change(TermValue(0), TermValue(1))),
         stop="not_in_data/not_computable"),
    Case("a negative base is not computable", {"t": Small("Jahr:text;Wert:decimal\nalt;-4\nneu;5")},
         of((total("wert", is_("jahr", "neu")), total("wert", is_("jahr", "alt"))), Change(TermValue(0), TermValue(1))),
         stop="not_in_data/not_computable"),
    Case("division by zero", {"t": Small("Jahr:text;Wert:decimal\nalt;0\nneu;5")},
         of((total("wert", is_("jahr", "neu")), total("wert", is_("jahr", "alt"))), Ratio(TermValue(0), TermValue(1))),
         stop="not_in_data/not_computable"),
    Case("a year that is covered in part", QUARTERS, one(total("umsatz", DANZIG, Y2024)), [["45"]], "PLN", [["C2", "C3", "C4"]],
         ("partial_period",)),
    Case("quarters and their year are not added", {"t": Small("Zeitraum:period;Umsatz:decimal\nQ1 2024;10\nQ2 2024;20\n2024;30")},
         one(total("umsatz", Y2024)), stop="ambiguous_period/overlapping_periods"),
    Case("days that begin late", {"t": Small("Datum:date;Betrag:decimal\n2024-08-02;5\n2024-12-20;6")},
         one(total("betrag", Within(ref("datum"), days("2024-07-01", "2024-12-31")))), [["11"]], None, None, ("partial_period",)),
    Case("two values for one look-up", QUARTERS, one(total("umsatz", DANZIG, how="value")),
         stop="ambiguous_value/several_values"),
    Case("one value in several rows", {"t": Small("Kunde:text;Ort:text\nA;Köln\nA;Köln\nB;Bonn")},
         one(total("ort", is_("kunde", "A"), how="value")), [["Köln"]], None, [["B2", "B3"]]),
    Case("median of an even number", B10, one(total("umsatz", not_("kunde", "E"), how="median")), [["350"]]),
    Case("median over equal values", {"t": Small("X:decimal\n1\n1\n1\n5\n9")}, one(total("x", how="median")), [["1"]]),
    Case("smallest with all that tie", B10, one(total("umsatz", is_("kunde", "C", "D", "A"), how="minimum")), [["300"]], None,
         [["B4", "B5"]]),
    Case("count of rows", B13, one(total("", is_("kunde", "Gamma"), how="count")), [["3"]], None, [["A5", "A6", "A7"]]),
    Case("a count of none where the value exists", ORDERS,
         one(total("", is_("kunde", "K1"), is_("artikel", "c"), how="count")), [["0"]]),
    Case("a count of none where it does not", ORDERS, one(total("", is_("kunde", "K7"), how="count")),
         stop="not_in_data/no_rows"),
    Case("a sum over no rows", ORDERS, one(total("menge", is_("kunde", "K7"))), stop="not_in_data/no_rows"),
    Case("text that begins, folded", {"t": Small("Ort:text;X:integer\nŁódź;1\nLODZ Süd;2\nKrakau;4")},
         one(total("x", TextMatch(ref("ort"), "begins", "lodz"))), [["3"]], None, [["B2", "B3"]]),
    Case("text that contains, negated, keeps blanks", {"t": Small("Ort:text;X:integer\nŁódź;1\n100%_x;2\n;4")},
         one(total("x", TextMatch(ref("ort"), "contains", "%_", negated=True))), [["5"]]),
    Case("bound with more places than the column", {"t": Small("X:decimal\n0.10\n0.11\n0.12")},
         one(total("", Compare(ref("x"), ">", Decimal("0.105")), how="count")), [["2"]]),
    Case("row by row comparison", {"t": Small("Plan:decimal;Ist:decimal\n5;6\n5;4\n;9\n1.5;1.50")},
         one(total("ist", CompareColumns(ref("ist"), ">", ref("plan")))), [["6"]], None, [["B2"]]),
    Case("join does not multiply and keeps strangers", ORDERS, AggregatePlan(
        (total("menge", joins=(TO_CUSTOMER,)),), (Output("Menge", TermValue(0)),), (ref("land", "k"),), ("Land",)),
         [["PL", "5"], ["DE", "5"], [None, "1"]]),
    Case("filter on the one side", ORDERS, one(total("menge", is_("land", "PL", table="k"), joins=(TO_CUSTOMER,))), [["5"]],
         "Stück",
         [["D2", "D3"]]),
    Case("quantity times price, one price missing", ORDERS,
         one(Term("t", "sum", (ref("menge"), ref("preis", "a")), joins=(TO_ARTICLE,))), [["38.75"]], "EUR",
         [["B2", "B3", "D2", "D3", "D4"]], ("missing_skipped", "measured_relation")),
    Case("customers without an order", ORDERS, ListPlan("k", (ref("kunde", "k"),), ("Kunde",),
         conditions=(InRows(ref("kunde", "k"), ref("kunde"), negated=True),)), [["K3"]], None, [["A4"]]),
    Case("customers with an order of b", ORDERS, ListPlan("k", (ref("kunde", "k"),), ("Kunde",),
         conditions=(InRows(ref("kunde", "k"), ref("kunde"), (is_("artikel", "b"),)),)), [["K1"]], None, [["A2"]]),
    Case("groups by a condition on their sum", B13, by("kunde", total("umsatz"), having=(Having(0, ">", Decimal(80)),)),
         [["Alpha", "120"], ["Beta", "100"], ["Gamma", "90"]]),
    Case("how many groups meet it", B13, by("kunde", total("umsatz"), having=(Having(0, ">", Decimal(80)),), count_groups=True),
         [["3"]], None, [["A2", "A3", "A4", "A5", "A6", "A7"]]),
    Case("no group meets it", B13, by("kunde", total("umsatz"), having=(Having(0, ">", Decimal(800)),)),
         stop="not_in_data/none_meets"),
    Case("groups against another output", QUARTERS, AggregatePlan(
        (total("umsatz", Q3), total("umsatz", Q2)), (Output("Q3", TermValue(0)), Output("Q2", TermValue(1))),
        (ref("filiale"),), ("Filiale",), (Having(0, "<", 1, against_output=True),)), [["Danzig", "15", "20"]], None, [["C3"]],
         ("missing_skipped",)),
    Case("the missing side of a group is missing", QUARTERS, AggregatePlan(
        (total("umsatz", Q3), total("umsatz", Q2)), (Output("Q3", TermValue(0)), Output("Q2", TermValue(1))),
        (ref("filiale"),), ("Filiale",)), [["Danzig", "15", "20"], ["Posen", "7.5", None]]),
    Case("rows in sheet order, each once", B13, ListPlan("t", (ref("kunde"),), ("Kunde",), conditions=(
        OneOf(ref("umsatz"), (Decimal(30), Decimal(60))),)), [["Alpha"], ["Gamma"]], None, [["A2", "A3"], ["A5", "A6", "A7"]]),
    Case("rows by a column, ties kept", B10, ListPlan("t", (ref("kunde"), ref("umsatz")), ("Kunde", "Umsatz"),
         order=((ref("umsatz"), True),), limit=3), [["A", "500"], ["B", "400"], ["C", "300"], ["D", "300"]], None, None,
         ("ties_listed",)),
    Case("existence", ORDERS, ListPlan("t", (ref("nr"),), ("Nr",), conditions=(is_("kunde", "K2"),), existence=True), [["ja"]],
         None,
         [["A4"]]),
    Case("no such combination", ORDERS, ListPlan("t", (ref("nr"),), ("Nr",),
         conditions=(is_("kunde", "K2"), is_("artikel", "c")), existence=True),
         stop="not_in_data/no_rows"),
    Case("no such value", ORDERS, ListPlan("t", (ref("nr"),), ("Nr",), conditions=(is_("kunde", "K7"),), existence=True),
         stop="not_in_data/no_rows"),
    Case("b14 no bound over several currencies", B14, ListPlan("t", (ref("faktura"),), ("Faktura",),
         conditions=(Compare(ref("kwota"), ">", Decimal(50000)),)), stop="mixed_currency/mixed_currency"),
    Case("b14 strictly more in one currency", B14, ListPlan("t", (ref("faktura"), ref("kwota")), ("Faktura", "Kwota"),
         conditions=(Compare(ref("kwota"), ">", Decimal(50000)), is_("waluta", "PLN"))), [["F2", "50000.01"]], "PLN", [["B3"]]),
    Case("b14 from a bound on", B14, ListPlan("t", (ref("faktura"),), ("Faktura",),
         conditions=(Compare(ref("kwota"), ">=", Decimal(50000)), is_("waluta", "PLN"))), [["F1"], ["F2"]]),
    Case("a bound of zero is the same in every currency", B14, one(total("", Compare(ref("kwota"), ">", Decimal(0)),
         how="count")),
         [["4"]]),
    Case("rows are not ranked over currencies", B14, ListPlan("t", (ref("faktura"),), ("Faktura",),
         order=((ref("kwota"), True),), limit=1), stop="mixed_currency/mixed_currency"),
    Case("groups are not ranked over currencies", A20, by("kunde", total("betrag"), order=Order(0, True, 1)),
         stop="mixed_currency/mixed_currency"),
    Case("groups keep their currency", A20, by("kunde", total("betrag")), [["Alpha", "100"], ["Beta", "100"], ["Gamma", "50"]]),
    Case("percentage points", QUARTERS, of((total("marge", DANZIG, Q3, how="value"), total("marge", DANZIG, Q2, how="value")),
         Arithmetic("-", TermValue(0), TermValue(1))), [["2.2"]], "%", [["D3", "D4"]], text_holds="2,2 Prozentpunkte"),
    Case("share in percent with a percent column",
         {"t": Small("Art:text;Umsatz:decimal:EUR;Provision:decimal:%\nA;200;2.5\nB;100;10")},
         one(Term("t", "sum", (ref("umsatz"), ref("provision")))), [["15"]], "EUR", [["B2", "B3", "C2", "C3"]]),
]  # fmt: skip
