"""Nouns that name a figure of controlling, by their last part."""

from __future__ import annotations

from parsers.fold import fold

GERMAN_FIGURES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Die", "betrugen", ("kosten", "erlöse", "ausgaben", "einnahmen", "verbindlichkeiten", "forderungen", "erträge", "umsätze",
                         "aufwendungen", "abschreibungen")),
    ("Der", "betrug", ("umsatz", "wert", "preis", "betrag", "aufwand", "ertrag", "bestand", "eingang", "gewinn", "verlust",
                       "rabatt", "anteil", "überschuss", "lohn", "absatz", "einsatz", "saldo")),
    ("Das", "betrug", ("ergebnis", "volumen", "kapital", "vermögen", "gehalt", "budget")),
    ("Die", "betrug", ("ung", "heit", "keit", "quote", "marge", "rate", "summe", "menge", "fläche", "dauer", "differenz",
                       "reichweite")),
)  # fmt: skip
"""Article, verb and endings of German nouns for figures; what ends otherwise is written without an article."""

_ENGLISH = """amount cost costs revenue revenues sales profit loss margin value price income expense expenses turnover total ratio
share budget salary wage stock volume result earnings quantity difference rate"""
_POLISH = "kwota koszt koszty przychod przychody obrot zysk strata marza wartosc cena wynik suma ilosc udzial saldo"
_OTHERS = frozenset(f"{_ENGLISH} {_POLISH}".split())
_ENDINGS = tuple(fold(ending) for _, _, endings in GERMAN_FIGURES for ending in endings)


def names_figure(word: str) -> bool:
    """True for a noun whose head says that a figure is meant ("Wareneinsatz", "cost")."""
    folded = fold(word)
    return folded in _OTHERS or folded.endswith(_ENDINGS)
