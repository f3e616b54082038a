"""Detectors of personal data in German formats: what a column's values and header say; a person decides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from parsers.fold import fold


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ENOUGH = 0.8
"""Share of a column's values that must have the format; below it a column of remarks with one phone number would count."""
FEWEST_UNCHECKED = 3
"""Values that a format without check digits needs, so that one odd code does not make a column personal."""

_EMAIL = re.compile(r"[^@\s;,<>]+@[^@\s;,<>]+\.[a-z]{2,}", re.IGNORECASE)
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}", re.IGNORECASE)
_TAX_NUMBER = re.compile(r"\d{2,3}/\d{3}/\d{5}|\d{3}/\d{4}/\d{4}")
_PHONE = re.compile(r"(?!\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$)(?:\+|00|\(?0)[\d ()/.-]{6,}")
_PERSON_WORDS = frozenset(
    _split(
        "vorname nachname familienname geburtsname zuname mitarbeiter mitarbeiterin mitarbeitername ansprechpartner "
        "ansprechpartnerin kontaktperson sachbearbeiter sachbearbeiterin bearbeiter bearbeiterin vorgesetzter vorgesetzte "
        "arbeitnehmer arbeitnehmerin bewerber bewerberin patient patientin mieter mieterin kontoinhaber firstname lastname "
        "surname employee imie nazwisko pracownik"
    )
)
"""Folded header words that name a person."""
_NUMBERED_PERSON = frozenset(_split("personalnummer personalnr mitarbeiternummer mitarbeiternr geburtsdatum geburtstag"))
_PHONE_WORDS = ("telefon", "tel", "mobil", "handy", "fax", "rufnummer", "phone")
_LETTERS = re.compile(r"[^\W\d_]+(?:[ ,.'-]+[^\W\d_]+)*\.?")


def is_iban(text: str) -> bool:
    """Country, two check digits, 11 to 30 characters; ISO 13616: the rearranged number leaves 1 modulo 97."""
    if not _IBAN.fullmatch(text.strip()):
        return False
    plain = text.replace(" ", "").upper()
    moved = plain[4:] + plain[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


def is_tax_id(text: str) -> bool:
    """Steueridentifikationsnummer (§ 139b AO): 11 digits, not beginning with 0; among the first ten one digit occurs twice or
    three times and the others at most once; the last is the check digit of ISO 7064 MOD 11,10."""
    digits = text.replace(" ", "")
    if not re.fullmatch(r"[1-9][0-9]{10}", digits):
        return False
    repeated = [count for count in Counter(digits[:10]).values() if count > 1]
    if len(repeated) != 1 or repeated[0] > 3:
        return False
    product = 10
    for digit in digits[:10]:
        product = 2 * ((int(digit) + product) % 10 or 10) % 11
    return (11 - product) % 10 == int(digits[10])


def is_phone(text: str) -> bool:
    """A German or international number with 7 to 15 digits (ITU-T E.164) that is written as one: with +, 00, / or blanks. Digits
    alone need the 00, a country code, which never begins with 0, and 8 more: "0010142" is a customer's number."""
    said = text.strip()
    digits = sum(letter.isdigit() for letter in said)
    if said.isdigit() and (said[:2] != "00" or said[2:3] == "0" or digits < 11):
        return False
    return bool(_PHONE.fullmatch(said)) and 7 <= digits <= 15


def is_email(text: str) -> bool:
    return bool(_EMAIL.fullmatch(text.strip()))


def is_tax_number(text: str) -> bool:
    """Steuernummer as the tax offices of the Länder write it: 93/815/08152, 181/815/08155, 133/8150/8159 (NRW)."""
    return bool(_TAX_NUMBER.fullmatch(text.strip()))


_FORMATS: tuple[tuple[Callable[[str], bool], int, str], ...] = (
    (is_iban, 1, "IBAN mit gültiger Prüfziffer"),
    (is_tax_id, FEWEST_UNCHECKED, "Steuer-IDs mit gültiger Prüfziffer"),
    (is_email, 1, "E-Mail-Adressen"),
    (is_tax_number, FEWEST_UNCHECKED, "Steuernummern"),
    (is_phone, FEWEST_UNCHECKED, "Telefonnummern"),
)
"""Test, how many values it takes, what they are called."""


def detect(header: str, values: Sequence[str]) -> str | None:
    """Why a column looks personal, as a German sentence; None if it does not. `values`: a sample as text, blanks left out."""
    for test, fewest, name in _FORMATS:
        if len(values) >= fewest and _share(values, test) >= ENOUGH:
            return f"Personenbezogen? Die Werte sind {name}."
    words = re.findall(r"\w+", fold(header))
    if any(word.startswith(_PHONE_WORDS) for word in words) and _share(values, _has_phone_digits) >= ENOUGH:
        return "Personenbezogen? Der Spaltenkopf nennt Telefonnummern."
    if _NUMBERED_PERSON & {*words, "".join(words)}:
        return "Personenbezogen? Der Spaltenkopf nennt eine Angabe zur Person."
    if _PERSON_WORDS & {*words, "".join(words)} and _share(values, lambda text: bool(_LETTERS.fullmatch(text.strip()))) >= ENOUGH:
        return "Personenbezogen? Der Spaltenkopf nennt Personen, und die Werte sind Namen."
    return None


def _has_phone_digits(text: str) -> bool:
    return 5 <= sum(letter.isdigit() for letter in text) <= 15


def _share(values: Sequence[str], test: Callable[[str], bool]) -> float:
    return sum(map(test, values)) / len(values) if values else 0.0
