"""The words behind header parts: data only, read by schema_maps.lexicon.

A noun line is `abbreviations ; spelled-out words | German word | gender m f n p | form in front of another noun`. Everything in
folded spelling on the left (ae for ä). A two-word key is written with "+" ("unit+price").
"""

MEASURES = """
rev ums erl rvn ; revenue revenues sales umsatz umsaetze erloes erloese turnover | Umsatz | m | Umsatz
cst ; cost costs kosten | Kosten | p | Kosten
exp ausg ; expense expenses aufwand ausgaben | Aufwand | m | Aufwands
amt betr btr ; amount betrag kwota | Betrag | m | Betrags
val wrt ; value wert wartosc | Wert | m | Wert
qty qnt mng ; quantity menge ilosc | Menge | f | Mengen
cnt anz ; count anzahl liczba | Anzahl | f | Anzahl
prc pr ; price preis cena | Preis | m | Preis
mrg mgn ; margin marge marza | Marge | f | Margen
prof erg ; profit ergebnis gewinn result zysk | Ergebnis | n | Ergebnis
incm ; income ertrag ertraege | Ertrag | m | Ertrags
disc rab rbt ; discount rabatt | Rabatt | m | Rabatt
bal sld ; balance saldo | Saldo | m | Saldo
bst ; bestand inventory+level stock+level | Bestand | m | Bestands
wgt gew ; weight gewicht | Gewicht | n | Gewichts
vol ; volume volumen | Volumen | n | Volumen
dev abw diff vari ; deviation abweichung difference differenz variance | Abweichung | f | Abweichungs
gro wachst ; growth wachstum | Wachstum | n | Wachstums
rat qt quo ; ratio quote | Quote | f | Quoten
rt ; rate satz | Satz | m | Satz
shr ant ; share anteil udzial | Anteil | m | Anteils
depr afa abschr ; depreciation abschreibung abschreibungen amortization | Abschreibungen | p | Abschreibungs
zins ; interest zinsen | Zinsen | p | Zins
tx ; tax steuer podatek | Steuer | f | Steuer
vat ust mwst ; | Mehrwertsteuer | f | Mehrwertsteuer
frt ; freight fracht | Fracht | f | Fracht
dur ; duration dauer | Dauer | f | Dauer
fl ; area flaeche surface | Fläche | f | Flächen
hc ; headcount | Mitarbeiterzahl | f | Mitarbeiterzahl
fte vzae vzk ; | Vollzeitstellen | p | Vollzeitstellen
db cm1 ; deckungsbeitrag contribution+margin | Deckungsbeitrag | m | Deckungsbeitrags
gm ; gross+margin | Bruttomarge | f | Bruttomargen
ebit ; betriebsergebnis operating+profit operating+income | Betriebsergebnis (EBIT) | n | EBIT
ebitda ; | EBITDA | n | EBITDA
ebt ; | Ergebnis vor Steuern | n | EBT
opex ; | Betriebskosten | p | Betriebskosten
capex ; investition investitionen investment | Investitionen | p | Investitions
cogs coga wes ; cost+of+sales | Wareneinsatz | m | Wareneinsatz
fx wk ; exchange+rate kurs wechselkurs | Wechselkurs | m | Wechselkurs
uprc upr ep ; unit+price einzelpreis | Einzelpreis | m | Einzelpreis
lprc lp ; list+price listenpreis | Listenpreis | m | Listenpreis
ucst ; unit+cost stueckkosten | Stückkosten | p | Stückkosten
ae oi ; order+intake auftragseingang | Auftragseingang | m | Auftragseingangs
bklg ; order+backlog backlog auftragsbestand | Auftragsbestand | m | Auftragsbestands
hrs ; hours stunden | Stunden | p | Stunden
lead+tm ; lead+time delivery+time lieferzeit | Lieferzeit | f | Lieferzeit
scrp ; scrap ausschuss | Ausschuss | m | Ausschuss
ret rtn ; return returns retoure retouren | Retouren | p | Retouren
rcpt rec ; receivables forderungen | Forderungen | p | Forderungs
pybl ; payables verbindlichkeiten | Verbindlichkeiten | p | Verbindlichkeiten
prov ; commission provision | Provision | f | Provisions
bon ; bonus boni | Bonus | m | Bonus
sal gehl ; salary salaries gehalt gehaelter wages loehne | Gehalt | n | Gehalts
pmt zahl zlg ; payment zahlung | Zahlung | f | Zahlungs
bkg buch ; booking buchung posting | Buchung | f | Buchungs
vst ; visits besuche | Besuche | p | Besuchs
lim ; limit | Limit | n | Limit
abs ; absatz unit+sales units+sold | Absatz | m | Absatz
; sales+qty sales+quantity absatz+menge | Absatzmenge | f | Absatzmengen
dso ; | Forderungslaufzeit (DSO) | f | DSO
ar ; accounts+receivable | Forderungen | p | Forderungs
ap ; accounts+payable | Verbindlichkeiten | p | Verbindlichkeiten
wc ; working+capital | Umlaufvermögen | n | Umlaufvermögens
spd ; spend | Ausgaben | p | Ausgaben
"""

ATTRIBUTES = """
nr no num nbr nmbr ; number nummer numer | Nummer | f | Nummern
id ident ; identifier | ID | f | ID
schl ; key schluessel | Schlüssel | m | Schlüssel
cd ; code kod | Code | m | Code
dt dat ; date datum data | Datum | n | Datums
nm ; name nazwa | Name | m | Namens
bez desc dscr txt ; description bezeichnung text beschreibung opis | Bezeichnung | f | Bezeichnungs
sts stat ; status | Status | m | Status
typ ; type art | Art | f | Arten
grp ; group gruppe grupa | Gruppe | f | Gruppen
cat kat ; category kategorie kategoria | Kategorie | f | Kategorie
cls kl ; class klasse | Klasse | f | Klassen
lvl ; level stufe | Stufe | f | Stufen
curr waehr wkz ccy ; currency waehrung waluta | Währung | f | Währungs
uom me ; unit+of+measure mengeneinheit | Mengeneinheit | f | Mengeneinheits
yr jhr ; year jahr rok | Jahr | n | Jahres
mth mon mnth ; month monat miesiac | Monat | m | Monats
qtr ; quarter quartal kwartal | Quartal | n | Quartals
 ; week woche | Woche | f | Wochen
prd ; period periode zeitraum | Periode | f | Perioden
cty cntry ctry ; country land kraj | Land | n | Länder
rgn reg ; region | Region | f | Regions
zip plz ; postcode postleitzahl | Postleitzahl | f | Postleitzahlen
str ; street strasse | Straße | f | Straßen
cmt rem bem ; comment remark bemerkung | Bemerkung | f | Bemerkungs
flg kz kennz ; flag kennzeichen | Kennzeichen | n | Kennzeichen
rsn ; reason grund | Grund | m | Grund
rnk ; rank rang | Rang | m | Rang
idx ; index | Index | m | Index
cond ; condition bedingung terms | Bedingung | f | Bedingungs
due+dt due+dat faell ; due+date faelligkeit | Fälligkeitsdatum | n | Fälligkeits
"""

ENTITIES = """
cust cus kd kun kund clnt ; customer customers kunde kunden client klient | Kunde | m | Kunden
vend supp kred lieft sup ; vendor supplier lieferant kreditor | Lieferant | m | Lieferanten
debi deb ; debtor debitor | Debitor | m | Debitoren
mat mtrl ; material | Material | n | Material
itm prod artik ; article item product artikel produkt | Artikel | m | Artikel
ord auf auft auftr so ; order orders auftrag zamowienie | Auftrag | m | Auftrags
po ; best purchase+order bestellung | Bestellung | f | Bestell
invc rech rg re ; invoice rechnung faktura | Rechnung | f | Rechnungs
cn gs ; credit+note gutschrift | Gutschrift | f | Gutschrifts
dlv dlvy ; delivery lieferung shipment | Lieferung | f | Liefer
doc bel blg ; document beleg | Beleg | m | Beleg
pos ln ; position line | Position | f | Positions
acc acct kto ; account konto | Konto | n | Konto
gl ; general+ledger | Sachkonto | n | Sachkonto
cc kst kostst cctr ; cost+center cost+centre kostenstelle | Kostenstelle | f | Kostenstellen
pc pctr ; profit+center profit+centre profitcenter | Profitcenter | n | Profitcenter
ce koa ; cost+element kostenart | Kostenart | f | Kostenarten
emp ma empl ; employee employees mitarbeiter staff | Mitarbeiter | m | Mitarbeiter
pers ; personal personnel | Personal | n | Personal
dept abt ; department abteilung | Abteilung | f | Abteilungs
proj prj ; project projekt | Projekt | n | Projekt
br brnch fil nl ; branch filiale niederlassung store | Filiale | f | Filial
whs wh lgr ; warehouse lager magazyn | Lager | n | Lager
plnt wrk ; plant werk | Werk | n | Werks
comp co firm ges ; company firma gesellschaft | Gesellschaft | f | Gesellschafts
bu gb ; business+unit geschaeftsbereich | Geschäftsbereich | m | Geschäftsbereichs
seg ; segment sparte | Segment | n | Segment
chnl ch vtw ; channel vertriebsweg | Vertriebsweg | m | Vertriebswege
slsrep vtr vertr ; salesperson vertreter | Vertreter | m | Vertreter
purch ek eink ; purchase purchasing einkauf | Einkauf | m | Einkaufs
vk verk sls ; selling verkauf | Verkauf | m | Verkaufs
mktg mkt ; marketing | Marketing | n | Marketing
admin verw adm ; administration verwaltung | Verwaltung | f | Verwaltungs
prodn fert mfg ; production fertigung manufacturing | Fertigung | f | Fertigungs
logist ; log logistics logistik | Logistik | f | Logistik
it edv ; | IT | f | IT-
rnd fue ; research | Forschung | f | Forschungs
vers ; ship shipping versand | Versand | m | Versand
energ ; energy energie | Energie | f | Energie
mie ; rent miete | Miete | f | Miet
trvl reis ; travel reise | Reise | f | Reise
insr ; insurance versicherung | Versicherung | f | Versicherungs
asst anl ; asset anlage | Anlage | f | Anlagen
contr vrtg ; contract vertrag | Vertrag | m | Vertrags
cmpgn ; campaign kampagne | Kampagne | f | Kampagnen
mahn dun ; dunning mahnung | Mahnung | f | Mahn
usr ; user benutzer | Benutzer | m | Benutzer
addr adr ; address adresse | Adresse | f | Adress
bnk ; bank | Bank | f | Bank
eqty ; equity eigenkapital | Eigenkapital | n | Eigenkapital
cash liq ; liquidity liquiditaet | Liquidität | f | Liquiditäts
arb ; work labour labor | Arbeit | f | Arbeits
mach masch ; machine maschine | Maschine | f | Maschinen
"""

# In front of the noun, as part of the word.
PREFIXES = """
nt ntt ; net netto | Netto
grs brt brut ; gross brutto | Brutto
tot ttl ; total gesamt | Gesamt
min ; minimum mindest | Mindest
max ; maximum hoechst | Höchst
bas ; base basis | Basis
trgt soll tgt ; target ziel | Ziel
"""

# In front of the noun, inflected: stem.
ADJECTIVES = """
avg ds dsch durchschn ; average mean durchschnitt | durchschnittlich
opn off ; open offen offene offener | offen
cum kum ; cumulative kumuliert | kumuliert
extn ; external extern externe | extern
intn ; internal intern interne | intern
fxd ; fixed fix fixe | fix
vrbl ; variable variabel | variabl
ovd ueberf ; overdue ueberfaellig | überfällig
"""

# After the noun.
POSTFIXES = """
adj korr corr ; adjusted korrigiert | nach Korrektur
ytd jtd ; | seit Jahresbeginn
mtd ; | seit Monatsbeginn
qtd ; | seit Quartalsbeginn
py vj ly pyr ; vorjahr prior+year previous+year last+year | Vorjahr
pp vp ; vorperiode | Vorperiode
pm vm ; vormonat prior+month previous+month last+month | Vormonat
pln bpl ; plan planned | Plan
act akt ; actual actuals ist | Ist
bud bdg bgt ; budget | Budget
fc fcst fcast prog ; forecast prognose | Forecast
est ; estimate estimated | Schätzung
yoy ; | gegenüber Vorjahr
mom ; | gegenüber Vormonat
lc hw ; local+currency hauswaehrung | in Hauswährung
dc bw ; document+currency belegwaehrung | in Belegwährung
gc ; group+currency konzernwaehrung | in Konzernwährung
bvat exvat ; excl+vat ohne+mwst excl+tax ex+vat | ohne MwSt.
ivat invat ; incl+vat inkl+mwst incl+tax | inkl. MwSt.
"""

UNITS = """
eur euro | EUR
usd | USD
gbp | GBP
chf | CHF
czk | CZK
huf | HUF
sek | SEK
dkk | DKK
nok | NOK
teur keur | TEUR
meur mioeur | Mio. EUR
tpln kpln | TPLN
pct proz perc prozent percent | %
stck pcs pce | Stück
kg | kg
qm m2 sqm | m²
km | km
zl zloty | PLN
"""

# Codes with several meanings: (code, kind, German word, gender, form in front of a noun, where). The first line that fits
# wins; a code without a fitting line gives no proposal. Where: "before A B": one of these codes follows; "currency": the
# header names another currency; "last": no noun follows but one stands before; "alone": no other noun; "" fits always.
AMBIGUOUS: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("pln", "postfix", "Plan", "", "", "currency"),
    ("pln", "unit", "PLN", "", "", ""),
    ("dep", "entity", "Abteilung", "f", "Abteilungs", "before nr no num id cd code nm name key bez txt"),
    ("dep", "measure", "Abschreibungen", "p", "Abschreibungs", ""),
    ("inv", "entity", "Rechnung", "f", "Rechnungs", "before nr no num id dt dat date amt amount sts status typ type pos due"),
    ("inv", "measure", "Lagerbestand", "m", "Lagerbestands", "before lvl level days"),
    ("lief", "entity", "Lieferant", "m", "Lieferanten", "before no num id nm name key grp"),
    ("lief", "entity", "Lieferung", "f", "Liefer", "before dt dat date sts status typ adr addr mng menge qty"),
    ("std", "prefix", "Standard", "", "", "before cst cost costs kosten prc price preis val rate satz"),
    ("std", "measure", "Stunden", "p", "Stunden", "last"),
    ("cur", "attribute", "Währung", "f", "Währungs", "last"),
    ("cur", "attribute", "Währung", "f", "Währungs", "alone"),
    ("stk", "unit", "Stück", "", "", "last"),
    ("stk", "measure", "Lagerbestand", "m", "Lagerbestands", "before val wert value qty lvl level"),
    ("tgt", "postfix", "Ziel", "", "", ""),
    ("soll", "postfix", "Soll", "", "", ""),
    ("day", "unit", "Tage", "", "", "last"),
    ("days", "unit", "Tage", "", "", "last"),
    ("tage", "unit", "Tage", "", "", "last"),
)

# SAP field names: code | meaning | gender. Own wording of the fields' usual meaning.
SAP_FIELDS = """
vbeln | Verkaufsbelegnummer | f
posnr | Positionsnummer | f
audat | Auftragsdatum | n
erdat | Anlagedatum | n
auart | Auftragsart | f
kunnr | Kundennummer | f
kunag | Auftraggebernummer | f
kunwe | Warenempfängernummer | f
matnr | Materialnummer | f
maktx | Materialbezeichnung | f
matkl | Warengruppe | f
mtart | Materialart | f
kwmeng | Auftragsmenge | f
menge | Menge | f
meins | Mengeneinheit | f
vrkme | Verkaufsmengeneinheit | f
netpr | Nettopreis | m
netwr | Nettowert | m
waers | Währung | f
waerk | Währung | f
bukrs | Buchungskreis | m
belnr | Belegnummer | f
buzei | Buchungszeile | f
budat | Buchungsdatum | n
bldat | Belegdatum | n
cpudt | Erfassungsdatum | n
gjahr | Geschäftsjahr | n
monat | Monat | m
poper | Buchungsperiode | f
perio | Buchungsperiode | f
blart | Belegart | f
dmbtr | Betrag in Hauswährung | m
wrbtr | Betrag in Belegwährung | m
wtgbtr | Betrag in Transaktionswährung | m
wkgbtr | Betrag in Konzernwährung | m
wogbtr | Betrag in Objektwährung | m
hsl | Betrag in Hauswährung | m
hkont | Sachkontonummer | f
saknr | Sachkontonummer | f
racct | Kontonummer | f
rbukrs | Buchungskreis | m
ryear | Geschäftsjahr | n
rcntr | Kostenstelle | f
kostl | Kostenstelle | f
kstar | Kostenart | f
prctr | Profitcenter | n
aufnr | Innenauftragsnummer | f
gsber | Geschäftsbereich | m
lifnr | Lieferantennummer | f
ebeln | Bestellnummer | f
ebelp | Bestellposition | f
bedat | Bestelldatum | n
werks | Werk | n
lgort | Lagerort | m
labst | frei verwendbarer Bestand | m
bwart | Bewegungsart | f
vkorg | Verkaufsorganisation | f
vtweg | Vertriebsweg | m
spart | Sparte | f
vkbur | Verkaufsbüro | n
vkgrp | Verkäufergruppe | f
bzirk | Vertriebsbezirk | m
kdgrp | Kundengruppe | f
fkdat | Rechnungsdatum | n
fkimg | fakturierte Menge | f
lfimg | gelieferte Menge | f
lfdat | Lieferdatum | n
lfsta | Lieferstatus | m
gbsta | Gesamtstatus | m
abgru | Absagegrund | m
pstyv | Positionstyp | m
bstnk | Bestellnummer des Kunden | f
zterm | Zahlungsbedingung | f
zfbdt | Basisdatum der Fälligkeit | n
augdt | Ausgleichsdatum | n
augbl | Ausgleichsbeleg | m
shkzg | Soll-Haben-Kennzeichen | n
xblnr | Referenznummer | f
sgtxt | Positionstext | m
kursf | Umrechnungskurs | m
mahns | Mahnstufe | f
verpr | gleitender Durchschnittspreis | m
stprs | Standardpreis | m
peinh | Preiseinheit | f
kbetr | Konditionsbetrag | m
kwert | Konditionswert | m
mwsbp | Steuerbetrag | m
wavwr | Verrechnungswert | m
ntgew | Nettogewicht | n
brgew | Bruttogewicht | n
land1 | Land | n
ort01 | Ort | m
pstlz | Postleitzahl | f
stras | Straße | f
name1 | Name | m
pernr | Personalnummer | f
orgeh | Organisationseinheit | f
plans | Planstelle | f
anln1 | Anlagennummer | f
"""
