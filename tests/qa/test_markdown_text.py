"""Foreign text in Markdown stays text, under a renderer that shares no code with the product."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from qa.markdown_text import plain

TEXTS: list[str] = yaml.safe_load((Path(__file__).parent / "hostile_texts.yaml").read_text(encoding="utf-8"))
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ALLOWED = {"paragraph_open", "paragraph_close", "inline", "text", "bullet_list_open", "bullet_list_close", "list_item_open",
           "list_item_close", "table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close", "tr_open",
           "tr_close", "th_open", "th_close", "td_open", "td_close"}  # fmt: skip
PLACES = {
    "line": "{}",
    "sentence": "Der Wert von {} betrug 5 EUR.",
    "item": "- {}: 5",
    "cell": "| a | b |\n| --- | --- |\n| {} | 5 |",
}


def _tokens(tokens: list[Token]) -> list[Token]:
    return [each for token in tokens for each in (token, *_tokens(token.children or []))]


def _shown(text: str, place: str) -> str:
    tokens = _tokens(RENDERER.parse(PLACES[place].format(plain(text))))
    foreign = {token.type for token in tokens} - ALLOWED
    assert not foreign, (text, foreign)
    cells = sum(token.type == "td_open" for token in tokens)
    assert cells == (2 if place == "cell" else 0)
    return "".join(token.content for token in tokens if token.type == "text")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", TEXTS)
def test_a_hostile_text_is_shown_and_does_nothing(text: str, place: str) -> None:
    assert " ".join(text.split()) in _shown(text, place)


@pytest.mark.parametrize("text", TEXTS)
def test_no_address_is_left_that_a_client_would_make_a_link_of(text: str) -> None:
    assert "://" not in plain(text) and "www." not in plain(text).lower()


@given(st.text(alphabet=st.sampled_from(list("ab1 []()!<>&;#`*_~|$\\:/.-+=\n{}\"'")), max_size=30), st.sampled_from(list(PLACES)))
def test_any_text_stays_text(text: str, place: str) -> None:
    _shown(text, place)


@pytest.mark.parametrize(
    "text",
    ["1.247.890 PLN", "-12,5 %", "Nettoumsatz [EUR]", "bericht_ergebnisse_Q3_2024.xlsx", "Müller & Söhne (Nord)", "a-b"],
)
def test_what_people_read_stays_as_it_is(text: str) -> None:
    assert plain(text).lstrip("\\") == text
