"""Units as they stand in headers, titles, cells and number formats."""

from __future__ import annotations

import pytest

from parsers.units import parse_unit, split_unit, unit_of_format, unit_of_title

UNITS = [
    ("€", "EUR"), ("EUR", "EUR"), ("TEUR", "TEUR"), ("T€", "TEUR"), ("kEUR", "TEUR"), ("Tsd. €", "TEUR"),
    ("Tausend Euro", "TEUR"), ("Mio. €", "Mio. EUR"),
    ("Mrd. EUR", "Mrd. EUR"), ("zł", "PLN"), ("tys. zł", "TPLN"), ("mln PLN", "Mio. PLN"), ("$", "USD"), ("US$", "USD"),
    ("CHF", "CHF"), ("%", "%"),
    ("Prozent", "%"), ("percent", "%"), ("Stück", "Stück"), ("szt.", "Stück"), ("Tage", "Tage"), ("m2", "m²"), ("m²", "m²"),
    ("EUR/Stück", "EUR/Stück"),
    ("€/m²", "EUR/m²"), ("1.000 EUR", "TEUR"), ("Umsatz", None), ("AG", None), ("2024", None), ("", None), ("Mio", None),
]  # fmt: skip
HEADERS = [
    ("Nettoumsatz [PLN]", "Nettoumsatz", "PLN"), ("Umsatz (TEUR)", "Umsatz", "TEUR"), ("Invest (Mio. EUR)", "Invest", "Mio. EUR"),
    ("Umsatz in TEUR", "Umsatz", "TEUR"), ("Lagerreichweite [Tage]", "Lagerreichweite", "Tage"),
    ("Verkaufsfläche [m²]", "Verkaufsfläche", "m²"),
    ("Marge %", "Marge", "%"), ("Gewicht [t]", "Gewicht", "t"), ("Leistung [PS]", "Leistung", "PS"),
    ("NETWR_EUR", "NETWR_EUR", "EUR"),
    ("RABATT_PCT", "RABATT_PCT", "%"), ("Name (alt)", "Name (alt)", None), ("Umsatz", "Umsatz", None),
    ("Kosten je Stück", "Kosten je Stück", None),
    ("Obrót w tys. zł", "Obrót", "TPLN"), ("Preis EUR", "Preis", "EUR"),
]  # fmt: skip
TITLES = [
    ("Angaben in Tsd. €, soweit nicht anders angegeben", "TEUR"), ("Gewinn- und Verlustrechnung 2024, Plan/Ist in TEUR", "TEUR"),
    ("Beträge in PLN ohne Umsatzsteuer", "PLN"), ("Absatz je Kalenderwoche in Stück", "Stück"), ("(in thousands)", "Tsd."),
    ("Angaben in Mio. €", "Mio. EUR"),
    ("(In millions of dollars, except margins)", "Mio. USD"), ("Ergebnisse in Polen", None),
    ("Umsatz in EUR, Absatz in Stück", None), ("Umsatz 2024", None),
]  # fmt: skip
FORMATS = [
    ("0.0%", "%"), ("#,##0.00 [$zł-415]", "PLN"), ("#,##0.00 [$€-407]", "EUR"), ('#,##0.00\\ "€"', "EUR"),
    ('"$"#,##0_);("$"#,##0)', "USD"),
    ('0 "Stück"', "Stück"), ('#,##0.0,, "Mio. €"', "EUR"), ("#,##0.00", None), ("", None), ("dd.mm.yyyy", None), ('0.0"%"', "%"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "unit"), UNITS)
def test_bare_units(text: str, unit: str | None) -> None:
    assert parse_unit(text) == unit


@pytest.mark.parametrize(("header", "name", "unit"), HEADERS)
def test_units_in_headers(header: str, name: str, unit: str | None) -> None:
    assert split_unit(header) == (name, unit)


@pytest.mark.parametrize(("title", "unit"), TITLES)
def test_units_in_titles(title: str, unit: str | None) -> None:
    assert unit_of_title(title) == unit


@pytest.mark.parametrize(("code", "unit"), FORMATS)
def test_units_in_number_formats(code: str, unit: str | None) -> None:
    assert unit_of_format(code) == unit
