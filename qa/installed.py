"""Which version of Beleg this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    try:
        return version("beleg")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "0"
