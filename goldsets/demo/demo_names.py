"""Invented names and base figures of the demo workbooks."""

from __future__ import annotations

from decimal import Decimal

QUARTERS = ("Q1 2024", "Q2 2024", "Q3 2024")

REGIONS = {
    "Mitte": ("Kielce", "Lodz", "Radom", "Warschau"),
    "Ost": ("Bialystok", "Lublin", "Rzeszów"),
    "Süd": ("Bielitz", "Kattowitz", "Krakau", "Tarnów", "Tschenstochau"),
    "Nord": ("Danzig", "Elbing", "Gdingen", "Köslin", "Stettin"),
    "West": ("Breslau", "Grünberg", "Oppeln", "Posen"),
}

# label, base amount in TEUR per quarter, and for subtotals the lines that they add up
PROFIT_AND_LOSS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("Umsatzerlöse", 4830, ()),
    ("Materialaufwand", -2610, ()),
    ("Rohertrag", 0, ("Umsatzerlöse", "Materialaufwand")),
    ("Personalaufwand", -1090, ()),
    ("Abschreibungen", -164, ()),
    ("Sonstiger betrieblicher Aufwand", -517, ()),
    ("Betriebsergebnis", 0, ("Rohertrag", "Personalaufwand", "Abschreibungen", "Sonstiger betrieblicher Aufwand")),
    ("Zinsergebnis", -38, ()),
    ("Ergebnis vor Steuern", 0, ("Betriebsergebnis", "Zinsergebnis")),
)

# number: firm, town, country, group
CUSTOMERS: dict[str, tuple[str, str, str, str]] = {
    "0010017": ("Ahornhof Metallbau GmbH", "Göttingen", "Deutschland", "Handwerk"),
    "0010023": ("Ahornhof Logistik GmbH", "Göttingen", "Deutschland", "Industrie"),
    "0010042": ("Birkental Maschinen AG", "Kassel", "Deutschland", "Industrie"),
    "0010058": ("Tischlerei Quendel", "Fulda", "Deutschland", "Handwerk"),
    "0010061": ("Schlosserei Immergrün & Söhne", "Erfurt", "Deutschland", "Handwerk"),
    "0010077": ("Baumarkt Zirbel; Filiale Süd", "Passau", "Deutschland", "Handel"),
    "0010083": ("Wacholder Haustechnik GmbH", "Linz", "Österreich", "Handwerk"),
    "0010094": ("Lärchenfeld Anlagenbau GmbH", "Graz", "Österreich", "Industrie"),
    "0010108": ("Enzian Seilbahntechnik", "Innsbruck", "Österreich", "Industrie"),
    "0010115": ("Narzyz Narzedzia Sp. z o.o.", "Tychy", "Polen", "Handel"),
    "0010126": ("Jarzebina Budowa S.A.", "Opoczno", "Polen", "Industrie"),
    "0010139": ("Wrzos Serwis Sp. z o.o.", "Kalisz", "Polen", "Handwerk"),
    "0010142": ("Leszczyna Hurt Sp. z o.o.", "Sopot", "Polen", "Handel"),
    "0010157": ("Mohnblum Gerätebau KG", "Bamberg", "Deutschland", "Industrie"),
    "0010163": ("Distelfink Montagen", "Jena", "Deutschland", "Handwerk"),
    "0010171": ("Holunder Baubedarf GmbH", "Trier", "Deutschland", "Handel"),
    "0010188": ("Eibenwald Werften GmbH", "Stralsund", "Deutschland", "Industrie"),
    "0010195": ("Salbei & Thymian Küchenbau", "Celle", "Deutschland", "Handwerk"),
    "0010204": ("Rosmarin Objektservice", "Gera", "Deutschland", "Handel"),
    "0010216": ("Kornblume Fahrzeugbau AG", "Zwickau", "Deutschland", "Industrie"),
    "0010229": ("Flieder Kältetechnik GmbH", "Wels", "Österreich", "Handwerk"),
    "0010231": ("Ginster Stahlhandel", "Siegen", "Deutschland", "Handel"),
    "0010247": ("Pfingstrose Werkstätten", "Coburg", "Deutschland", "Handwerk"),
    "0010250": ("Schlehdorn Apparatebau", "Steyr", "Österreich", "Industrie"),
}
CUSTOMERS_WITHOUT_ORDER = ("0010247", "0010250")

# number: text, group, list price and purchase price in EUR; the last two are never ordered
ARTICLES: dict[str, tuple[str, str, Decimal, Decimal]] = {
    number: (text, group, Decimal(price), Decimal(cost))
    for number, text, group, price, cost in (
        ("004011", "Akkuschrauber 18 V", "Elektrowerkzeug", "189.00", "121.40"),
        ("004012", "Bohrhammer SDS 800 W", "Elektrowerkzeug", "249.50", "163.00"),
        ("004013", "Winkelschleifer 125 mm", "Elektrowerkzeug", "94.90", "58.75"),
        ("004014", "Stichsäge 650 W", "Elektrowerkzeug", "119.00", "77.20"),
        ("004015", "Exzenterschleifer", "Elektrowerkzeug", "134.80", "88.10"),
        ("004021", "Messschieber digital 150 mm", "Messtechnik", "48.60", "27.30"),
        ("004022", "Bügelmessschraube 0-25 mm", "Messtechnik", "72.40", "41.95"),
        ("004023", "Kreuzlinienlaser grün", "Messtechnik", "315.00", "204.60"),
        ("004024", "Entfernungsmesser 60 m", "Messtechnik", "142.25", "91.00"),
        ("004031", "Ringschlüsselsatz 12-teilig", "Handwerkzeug", "64.50", "36.80"),
        ("004032", "Drehmomentschlüssel 40-200 Nm", "Handwerkzeug", "118.90", "70.15"),
        ("004033", "Schlosserhammer 500 g", "Handwerkzeug", "19.95", "9.40"),
        ("004034", "Bolzenschneider 600 mm", "Handwerkzeug", "57.30", "33.10"),
        ("004035", "Schraubendrehersatz VDE", "Handwerkzeug", "39.80", "21.65"),
        ("004041", "Schutzbrille klar", "Arbeitsschutz", "8.95", "3.70"),
        ("004042", "Gehörschutzkapsel 32 dB", "Arbeitsschutz", "27.40", "14.05"),
        ("004043", "Schnittschutzhandschuh Gr. 10", "Arbeitsschutz", "16.75", "7.90"),
        ("004044", "Atemschutzmaske FFP2, 20 Stück", "Arbeitsschutz", "22.10", "10.35"),
        ("004051", "Werkstattwagen 7 Schubladen", "Betriebseinrichtung", "689.00", "462.00"),
        ("004052", "Werkbank 1500 mm", "Betriebseinrichtung", "545.00", "371.50"),
        ("004053", "Schwerlastregal 2 m", "Betriebseinrichtung", "228.00", "149.90"),
        ("004061", "Kompressor 50 l", "Druckluft", "419.00", "288.00"),
        ("004062", "Schlagschrauber pneumatisch", "Druckluft", "176.60", "112.45"),
        ("004063", "Druckluftschlauch 20 m", "Druckluft", "54.20", "29.80"),
    )
}
