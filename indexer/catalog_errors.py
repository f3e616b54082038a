"""What a person asked of the catalogue and cannot get: each is one German sentence that says what to do."""

from __future__ import annotations

from collections.abc import Iterable


class CatalogError(Exception):
    """Base of all refusals of the catalogue. `code` is a stable snake_case word."""

    code = "catalog_error"


class UnknownTenant(CatalogError):
    code = "unknown_tenant"

    def __init__(self, tenant: str, known: Iterable[str] = ()) -> None:
        self.tenant = tenant
        self.known = tuple(sorted(known))
        names = ", ".join(self.known) or "noch keine"
        super().__init__(
            f"Den Mandanten „{tenant}“ gibt es nicht (vorhanden: {names}); legen Sie ihn beim Einlesen mit --create-tenant an."
        )


class BadTenantName(CatalogError):
    code = "bad_tenant_name"

    def __init__(self, tenant: str) -> None:
        super().__init__(
            f"„{tenant}“ ist kein Name für einen Mandanten; nehmen Sie bis zu 64 Buchstaben, Ziffern, Punkte, Binde- oder "
            "Unterstriche, der erste davon ein Buchstabe oder eine Ziffer."
        )


class TenantPlaceTaken(CatalogError):
    code = "tenant_place_taken"

    def __init__(self, tenant: str, other: str) -> None:
        super().__init__(
            f"Der Mandant „{tenant}“ bekäme denselben Ort wie der Mandant „{other}“; geben Sie ihm einen Namen, der sich nicht "
            "nur in Groß- und Kleinschreibung, Umlauten oder Akzenten unterscheidet."
        )


class UnknownDocument(CatalogError):
    code = "unknown_document"

    def __init__(self, tenant: str, document: str, known: Iterable[str]) -> None:
        names = ", ".join(sorted(known)) or "noch keine"
        super().__init__(
            f"Das Dokument „{document}“ gibt es beim Mandanten „{tenant}“ nicht; nehmen Sie eines von diesen: {names}."
        )


class UnknownVersion(CatalogError):
    code = "unknown_version"

    def __init__(self, document: str, version: str, known: Iterable[str]) -> None:
        labels = ", ".join(f"„{label}“" for label in known) or "keine"
        super().__init__(f"„{document}“ hat keine Version „{version}“; nehmen Sie eine von diesen: {labels}.")


class AmbiguousVersion(CatalogError):
    code = "ambiguous_version"

    def __init__(self, document: str, version: str, ids: Iterable[str]) -> None:
        super().__init__(
            f"Die Angabe „{version}“ trifft mehrere Versionen von „{document}“; nennen Sie die Kennung: {', '.join(ids)}."
        )


class UnknownSheet(CatalogError):
    code = "unknown_sheet"

    def __init__(self, document: str, sheets: Iterable[str], known: Iterable[str]) -> None:
        asked = ", ".join(f"„{sheet}“" for sheet in sheets)
        names = ", ".join(f"„{sheet}“" for sheet in known)
        there = f"vorhanden sind: {names}" if names else "die Datei hat keine Tabellenblätter"
        super().__init__(f"{document}: Das Tabellenblatt {asked} gibt es nicht ({there}); berichtigen Sie die Angabe der Stufe.")


class MissingLevel(CatalogError):
    code = "missing_level"

    def __init__(self, document: str, where: str) -> None:
        super().__init__(
            f"{document}: Für {where} ist keine Zugriffsstufe angegeben; nennen Sie eine mit --access-level oder --sheet-level."
        )


class LabelTaken(CatalogError):
    code = "label_taken"

    def __init__(self, document: str, label: str) -> None:
        super().__init__(
            f"„{document}“ hat schon eine andere Version mit dem Namen „{label}“; geben Sie der neuen mit "
            "--version einen anderen."
        )


class BadOption(CatalogError):
    code = "bad_option"

    def __init__(self, option: str, value: object, allowed: str) -> None:
        super().__init__(f"{option}: „{value}“ ist nicht zulässig; erlaubt ist {allowed}.")


class CatalogTooNew(CatalogError):
    code = "catalog_too_new"

    def __init__(self, place: str, revision: str) -> None:
        super().__init__(
            f"Der Katalog {place} hat den Stand „{revision}“, den diese Version von Beleg nicht kennt; nehmen Sie eine neuere."
        )
