"""Sentences of the planner's stops, in the asker's language: what is open or missing, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.lexicon import Language
from orchestrator.planners.decision import PlannerStop

# kind -> language -> sentence; {0}, {1} … are the stop's words, {all} all of them joined.
SENTENCES: Mapping[str, Mapping[Language, str]] = {
    "writes": {
        "de": "Beleg liest nur und ändert keine Daten; „{0}“ wird nicht ausgeführt. Fragen Sie nach den Werten, die Sie sehen möchten.",
        "en": "Beleg only reads and never changes data; “{0}” is not carried out. Ask for the values that you want to see.",
        "pl": "Beleg tylko czyta i nie zmienia danych; „{0}” nie zostanie wykonane. Zapytaj o wartości, które chcesz zobaczyć.",
    },
    "similarity": {
        "de": "Fragen nach Ähnlichkeit oder Themen („{0}“) kann diese Version noch nicht beantworten; fragen Sie nach einem Wert.",
        "en": "This version cannot answer questions of likeness or topic (“{0}”) yet; ask for a value instead.",
        "pl": "Ta wersja nie odpowiada jeszcze na pytania o podobieństwo lub temat („{0}”); zapytaj o wartość.",
    },
    "unknown_words": {
        "de": "Diese Zahl ist nicht in der Datenbank vorhanden: „{all}“ kommt in den Daten, die Sie sehen dürfen, nicht vor. "
        "Fragen Sie mit „Welche Spalten gibt es?“, was vorhanden ist.",
        "en": "This number is not in the database: “{all}” does not occur in the data that you may see. "
        "Ask “Which columns are there?” to see what is available.",
        "pl": "Tej liczby nie ma w bazie danych: „{all}” nie występuje w danych, które możesz zobaczyć. "
        "Zapytaj „Jakie są kolumny?”, aby zobaczyć, co jest dostępne.",
    },
    "not_here": {
        "de": "Diese Zahl ist nicht in der Datenbank vorhanden: „{0}“ kommt in den Daten zu dieser Frage nicht vor.",
        "en": "This number is not in the database: “{0}” does not occur in the data that the question is about.",
        "pl": "Tej liczby nie ma w bazie danych: „{0}” nie występuje w danych, których dotyczy pytanie.",
    },
    "not_about_data": {
        "de": "Die Frage wurde nicht verstanden: Keines ihrer Wörter bezeichnet etwas in den Daten, die Sie sehen dürfen. "
        "Nennen Sie eine Kennzahl und, wenn nötig, einen Zeitraum.",
        "en": "The question was not understood: none of its words names anything in the data that you may see. "
        "Name a figure and, where needed, a period.",
        "pl": "Pytanie nie zostało zrozumiane: żadne słowo nie oznacza niczego w danych, które możesz zobaczyć. Podaj wskaźnik i okres.",
    },
    "no_rule": {
        "de": "Die Wörter der Frage sind bekannt, ihr Zusammenhang wurde aber nicht sicher verstanden. "
        "Fragen Sie einfacher, etwa „Wie hoch war <Kennzahl> <Name> <Zeitraum>?“.",
        "en": "The words of the question are known, but how they belong together was not understood for certain. "
        "Ask more simply, such as “What was <figure> <name> <period>?”.",
        "pl": "Słowa pytania są znane, ale ich związek nie został zrozumiany na pewno. Zapytaj prościej, np. „Jaki był <wskaźnik> <nazwa> <okres>?”.",
    },
    "nothing_asked": {
        "de": "Die Frage nennt nicht, welche Zahl gesucht ist. Nennen Sie die Kennzahl.",
        "en": "The question does not say which figure is wanted. Name the figure.",
        "pl": "Pytanie nie podaje, o jaką liczbę chodzi. Podaj wskaźnik.",
    },
    "which_measure": {
        "de": "Wonach soll gemessen werden („{0}“)? Bitte wählen Sie die Kennzahl.",
        "en": "Measured by what (“{0}”)? Please choose the figure.",
        "pl": "Według czego mierzyć („{0}”)? Wybierz wskaźnik.",
    },
    "similar_names": {
        "de": "„{0}“ ist nicht in den Daten. Meinten Sie einen dieser Namen?",
        "en": "“{0}” is not in the data. Did you mean one of these?",
        "pl": "„{0}” nie występuje w danych. Czy chodzi o jedną z tych nazw?",
    },
    "part_of_name": {
        "de": "„{0}“ ist nicht eindeutig. Welche Spalte meinen Sie?",
        "en": "“{0}” is not unique. Which column do you mean?",
        "pl": "„{0}” nie jest jednoznaczne. O którą kolumnę chodzi?",
    },
    "several_columns": {
        "de": "„{0}“ steht für mehrere Spalten. Welche meinen Sie?",
        "en": "“{0}” stands for several columns. Which one do you mean?",
        "pl": "„{0}” oznacza kilka kolumn. O którą chodzi?",
    },
    "several_values": {
        "de": "„{0}“ passt auf mehrere Namen. Welchen meinen Sie?",
        "en": "“{0}” fits several names. Which one do you mean?",
        "pl": "„{0}” pasuje do kilku nazw. O którą chodzi?",
    },
    "value_in_several_columns": {
        "de": "„{0}“ kommt in mehreren Spalten vor. Welche meinen Sie?",
        "en": "“{0}” occurs in several columns. Which one do you mean?",
        "pl": "„{0}” występuje w kilku kolumnach. O którą chodzi?",
    },
    "value_of_other_column": {
        "de": "„{0}“ ist kein Wert von „{1}“, sondern von „{2}“. Ist das gemeint?",
        "en": "“{0}” is no value of “{1}” but of “{2}”. Is that meant?",
        "pl": "„{0}” nie jest wartością „{1}”, lecz „{2}”. Czy o to chodzi?",
    },
    "which_one": {
        "de": "Welcher Eintrag ist gemeint ({0})? Bitte nennen Sie den Namen.",
        "en": "Which one is meant ({0})? Please give its name.",
        "pl": "O który wpis chodzi ({0})? Podaj nazwę.",
    },
    "which_period": {
        "de": "Für welchen Zeitraum ({0})? Die Daten enthalten mehrere.",
        "en": "For which period ({0})? The data hold several.",
        "pl": "Za jaki okres ({0})? Dane zawierają kilka.",
    },
    "which_member": {
        "de": "Welcher Wert von „{0}“ ist gemeint?",
        "en": "Which value of “{0}” is meant?",
        "pl": "O którą wartość „{0}” chodzi?",
    },
    "which_reading": {
        "de": "Die Frage lässt sich auf mehrere Arten verstehen, mit verschiedenen Ergebnissen. Was ist gemeint?",
        "en": "The question can be understood in several ways with different results. Which is meant?",
        "pl": "Pytanie można rozumieć na kilka sposobów, z różnymi wynikami. Co masz na myśli?",
    },
    "average_per": {
        "de": "Der Durchschnitt „{0} je {1}“ kann zweierlei heißen. Was ist gemeint?",
        "en": "The average “{0} per {1}” can mean two things. Which is meant?",
        "pl": "Średnia „{0} na {1}” może oznaczać dwie rzeczy. Co masz na myśli?",
    },
    "average_of_what": {
        "de": "Die Zeilen der Tabelle sind Teile davon; „{0}“ kann daher nicht einfach über die Zeilen gemittelt werden. Ist „je {1}“ gemeint?",
        "en": "The rows of the table are parts of it, so “{0}” cannot simply be averaged over the rows. Is “per {1}” meant?",
        "pl": "Wiersze tabeli są jej częściami, więc „{0}” nie można uśrednić po wierszach. Czy chodzi o „na {1}”?",
    },
    "fiscal_year": {
        "de": "„{0}“: Nach welchem Kalenderjahr ist das Geschäftsjahr benannt?",
        "en": "“{0}”: which fiscal year is meant?",
        "pl": "„{0}”: o który rok obrotowy chodzi?",
    },
    "several_time_columns": {
        "de": "Auf welches Datum bezieht sich der Zeitraum: „{all}“?",
        "en": "Which date does the period refer to: “{all}”?",
        "pl": "Do której daty odnosi się okres: „{all}”?",
    },
    "several_years": {
        "de": "„{0}“ kommt in mehreren Jahren vor. Welches Jahr meinen Sie?",
        "en": "“{0}” occurs in several years. Which year do you mean?",
        "pl": "„{0}” występuje w kilku latach. O który rok chodzi?",
    },
    "overlapping_periods": {
        "de": "Für {0} enthalten die Daten Zeiträume, die sich überschneiden (etwa Monate und Quartale). Bitte nennen Sie den genauen Zeitraum.",
        "en": "For {0} the data hold periods that overlap (such as months and quarters). Please name the exact period.",
        "pl": "Dla {0} dane zawierają nakładające się okresy. Podaj dokładny okres.",
    },
    "no_period_column": {
        "de": "Diese Zahl ist nicht in der Datenbank vorhanden: Die Tabelle enthält keinen Zeitraum „{0}“. Fragen Sie ohne Zeitraum.",
        "en": "This number is not in the database: the table holds no period “{0}”. Ask without a period.",
        "pl": "Tej liczby nie ma w bazie danych: tabela nie zawiera okresu „{0}”. Zapytaj bez okresu.",
    },
    "no_such_period": {
        "de": "Diese Zahl ist nicht in der Datenbank vorhanden: Zu „{0}“ gibt es keine Daten.",
        "en": "This number is not in the database: there are no data for “{0}”.",
        "pl": "Tej liczby nie ma w bazie danych: brak danych dla „{0}”.",
    },
    "no_such_version": {
        "de": "Diese Zahl ist nicht in der Datenbank vorhanden: Die genannte Fassung „{0}“ gibt es nicht. Sehen Sie mit „beleg versions“ nach.",
        "en": "This number is not in the database: there is no version “{0}”. See “beleg versions”.",
        "pl": "Tej liczby nie ma w bazie danych: nie ma wersji „{0}”. Zobacz „beleg versions”.",
    },
    "several_versions": {
        "de": "„{0}“ passt auf mehrere Fassungen. Welche meinen Sie?",
        "en": "“{0}” fits several versions. Which one do you mean?",
        "pl": "„{0}” pasuje do kilku wersji. O którą chodzi?",
    },
    "other_unit": {
        "de": "Diese Zahl ist nicht in der Datenbank vorhanden: „{0}“ liegt in {1} vor, nicht in {2}; ohne freigegebenen Kurs wird nicht umgerechnet.",
        "en": "This number is not in the database: “{0}” is in {1}, not in {2}; nothing is converted without an approved rate.",
        "pl": "Tej liczby nie ma w bazie danych: „{0}” jest w {1}, nie w {2}; bez zatwierdzonego kursu nic nie jest przeliczane.",
    },
    "odd_number": {
        "de": "Die Anzahl „{0}“ ist keine ganze Zahl zwischen 1 und 1000. Nennen Sie eine solche.",
        "en": "The number “{0}” is no whole number from 1 to 1000. Give such a number.",
        "pl": "Liczba „{0}” nie jest liczbą całkowitą od 1 do 1000. Podaj taką liczbę.",
    },
}  # fmt: skip


def sentence(stop: PlannerStop, language: Language) -> str:
    """The stop in words; every kind is in the table above."""
    between = {"de": "“, „", "en": "”, “", "pl": "”, „"}[language]
    return SENTENCES[stop.kind][language].format(*stop.words, all=between.join(stop.words))
