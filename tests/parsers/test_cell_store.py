"""A store of cells against a plain dict: whatever is put, set and deleted, both hold the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.cell_store import CellStore
from parsers.raw_cell import RawCell
from parsers.row_blocks import RowShape

PLACES = st.tuples(st.integers(1, 4), st.integers(1, 5))
TEXTS = st.sampled_from(("a", "b", "c"))
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), PLACES, TEXTS),
        st.tuples(st.just("row"), PLACES, TEXTS),
        st.tuples(st.just("delete"), PLACES, TEXTS),
        st.tuples(st.just("look"), PLACES, TEXTS),
        st.tuples(st.just("pack"), PLACES, TEXTS),
    ),
    max_size=20,
)


def _cell(kind: str, style: str, text: str | None, formula: str | None) -> RawCell:
    return RawCell(f"{kind}{style}{text}", "text", text or "", formula=formula)


@settings(max_examples=300)
@given(ACTIONS)
def test_store_holds_what_a_dict_holds(actions: list[tuple[str, tuple[int, int], str]]) -> None:
    store, plain = CellStore(), dict[tuple[int, int], RawCell]()
    for action, (row, column), text in actions:
        if action == "put":
            cell = RawCell(text, "text", text)
            assert store.put(row, column, cell) == plain.get((row, column))
            plain[row, column] = cell
        elif action == "row" and not store.has_row(row):
            shape = RowShape.of((column, column + 3), (("n", "1"), ("str", "2")))
            store.put_row(row, shape, [text, (text, ("A1+1", 1, 1))], _cell)
            shifted = f"{chr(64 + column + 3)}{row}+1"
            plain[row, column] = _cell("n", "1", text, None)
            plain[row, column + 3] = _cell("str", "2", text, shifted)
        elif action == "delete" and (row, column) in plain:
            del store[row, column]
            del plain[row, column]
        elif action == "look":
            assert store.get((row, column)) == plain.get((row, column))
        elif action == "pack":
            store.pack()
    assert len(store) == len(plain) and set(store) == set(plain)
    assert store.extent() == (max((row for row, _ in plain), default=0), max((column for _, column in plain), default=0))
    assert dict(store.computed()) == {place: cell for place, cell in plain.items() if cell.formula is not None}
    assert all(place in store and store[place] == cell for place, cell in plain.items())
    assert dict(store.items()) == plain == store
