"""The form where a person signs in with a key."""

from __future__ import annotations

from typing import Literal

from jinja2 import Environment

_TEXTS = {
    "de": {
        "title": "Bei Beleg anmelden", "key": "Schlüssel", "go": "Anmelden",
        "failed": "Dieser Schlüssel gilt nicht; prüfen Sie, ob er ganz kopiert ist und noch nicht abgelaufen.",
    },
    "en": {
        "title": "Sign in to Beleg", "key": "Key", "go": "Sign in",
        "failed": "This key does not hold; check that it is copied in full and has not expired.",
    },
}  # fmt: skip

_PAGE = Environment(autoescape=True).from_string("""<!doctype html>
<html lang="{{ language }}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{ title }}</title></head>
<body>
<main>
<h1>{{ title }}</h1>
{% if failed_text %}<p role="alert">{{ failed_text }}</p>{% endif %}
<form method="post" action="/sign-in">
<label for="key">{{ key }}</label>
<input id="key" name="key" type="password" autocomplete="current-password" required maxlength="200">
<button type="submit">{{ go }}</button>
</form>
</main>
</body>
</html>
""")


def sign_in_page(language: Literal["de", "en"], failed: bool) -> str:
    """HTML; `failed`: the last key did not hold."""
    texts = _TEXTS[language]
    return _PAGE.render(language=language, failed_text=texts["failed"] if failed else "", **texts)
