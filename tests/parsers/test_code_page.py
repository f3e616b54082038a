"""Single words decide the code page, also in text that is ASCII otherwise."""

from __future__ import annotations

import pytest

from parsers.csv_encoding import decode

WESTERN = (
    "Müller € GmbH",
    "España SA",
    "Møller A/S",
    "Café Crème",
    "Ø Preis",
    "Jørgensen",
    "Muñoz",
    "coûts",
    "Kjær",
    "São Paulo",
    "5½ %",
    "Preis £ 5",
    "¿Qué?",
    "naïve",
    "œuvre",
    "Ålborg",
    "Crêperie",
    "piñata",
    "Süd – Ost „a“",
    "Voilà",
    "Bjørn Ødegård",
    "100 m³",
    "Fläche m²",
    "© Amt",
)
EASTERN = (
    "Łódź",
    "Gdańsk",
    "Wrocław",
    "100 zł",
    "ŁÓDŹ",
    "Poznań",
    "Świdnica",
    "Częstochowa",
    "Dębica",
    "Zażółć gęślą jaźń",
    "Jiří Dvořák",
    "Příbram",
    "Győr",
    "Košice",
    "České Budějovice",
    "Ząbki",
    "Żary",
    "Śląsk",
    "usługi",
    "sprzedaż",
    "marża",
    "Źródło",
    "Łęczna",
    "Hradec Králové;tržby",
    "Kędzierzyn",
    "być",
    "Węgry",
    "wartość",
    "dům",
)


@pytest.mark.parametrize(
    ("word", "page"),
    [(word, "cp1252") for word in WESTERN] + [(word, page) for word in EASTERN for page in ("cp1250", "iso8859_2")],
)
def test_a_word_alone(word: str, page: str) -> None:
    text = f"Nr;Name;Betrag\n1;Alpha;10,00\n2;{word};20,00\n"
    decoded = decode(text.encode(page))
    assert decoded.text == text
    assert decoded.doubt is None


@pytest.mark.parametrize("word", ["Umsatz¹", "Plzeò"])
def test_doubt_is_said_with_both_readings(word: str) -> None:
    decoded = decode(f"Nr;{word}\n1;2\n".encode("cp1252"))
    assert decoded.doubt is not None
    assert word.encode("cp1252").decode("cp1250") in decoded.doubt and word in decoded.doubt
