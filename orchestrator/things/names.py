"""What the tables of a scope are called as things, and their columns, for the grammar of questions about things."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from orchestrator.compounds import CONTAINER_HEADS, LINKING, entity_name
from orchestrator.link_names import Names
from orchestrator.plan import ColumnRef
from orchestrator.question import Token
from orchestrator.scope import Scope, VisibleTable
from orchestrator.thesaurus import like_word, other_place_names, same_groups, same_word, word_forms
from orchestrator.things.book import verb_stem, word_book
from parsers.fold import fold
from parsers.table import ColumnType
from parsers.word_forms import base_form, compound_parts

_KEY_WORDS = frozenset({"id", "kennung", "kennnummer", "kennziffer"})
_UNIT_WORDS = frozenset(
    ["millionen", "mio", "milliarden", "tausend", "tsd", "euro", "eur", "usd", "dollar", "prozent", "pct", "km", "kg", "cm", "mm"]
)
_NOT_THINGS = CONTAINER_HEADS | {"info", "infos", "information", "informationen", "data", "details", "detail"}


@dataclass(frozen=True)
class Thing:
    """What a table's rows are about. `key`: the column that tells the things apart, None where each row is one; `unique`: it
    stands in one row each; `labels`: the columns that say what a thing is called."""

    table: str
    key: ColumnRef | None
    unique: bool
    labels: tuple[ColumnRef, ...]


@dataclass(frozen=True)
class Hit:
    """What a run of words names: columns or things. `exact`: by its own name, not by a word of like meaning; `function`: the
    aggregate that a compound asks for (Durchschnittsalter); `labels`: columns that "Name" means only beside their thing."""

    columns: tuple[ColumnRef, ...] = ()
    things: tuple[Thing, ...] = ()
    labels: frozenset[ColumnRef] = frozenset()
    exact: bool = True
    function: str | None = None
    first: int = 0
    last: int = 0

    def at(self, first: int, last: int) -> Hit:
        return replace(self, first=first, last=last)


@dataclass(frozen=True)
class _Entry:
    """One way a column ("" for the table itself) is called, cut into its parts."""

    table: str
    column: str
    parts: tuple[str, ...]


_MOST_MATCHED = 4_000
"""Runs of words of which it is remembered what is called so."""
_Signature = tuple[tuple[str, str, bool, tuple[tuple[str, tuple[str, ...]], ...]], ...]


class ThingNames:
    """Index of the things and columns of one scope."""

    def __init__(self, scope: Scope, names: Names) -> None:
        self._names = names
        self._many = {(relation.many_table, relation.many_column) for relation in scope.relations}
        self._things: dict[str, Thing] = {}
        signature = tuple(
            (
                name,
                _stem(table),
                self.thing(name).key is not None,
                tuple((column.sql_name, _sayable(column.column.header, column.names)) for column in table.columns),
            )
            for name, table in names.tables.items()
        )
        self._by_word = _entries(signature)
        self._matched: dict[tuple[tuple[str, ...], bool], tuple[tuple[_Entry, ...], bool] | None] = {}

    @classmethod
    def of(cls, scope: Scope, names: Names) -> ThingNames:
        """The index of this scope, read once and kept with its names."""
        kept = names.kept.get(("things", scope.relations))
        if not isinstance(kept, cls):
            kept = names.kept["things", scope.relations] = cls(scope, names)
        return kept

    def thing(self, table: str) -> Thing:
        """The thing of a table."""
        if table not in self._things:
            self._things[table] = self._read_thing(table)
        return self._things[table]

    def columns(self, words: tuple[str, ...]) -> tuple[Hit, ...]:
        """Columns called so; by words of like meaning only where none is called so itself. "Name": what a thing is called."""
        hit = self._columns(words)
        if len(words) == 1 and "name" in word_forms(words[0]):
            labels = [label for table in self._names.tables for label in self.thing(table).labels]
            own = hit.columns if hit is not None else ()
            hit = Hit(columns=tuple(dict.fromkeys((*own, *labels))), labels=frozenset(labels) - set(own))
        elif hit is None and len(words) == 1:
            hit = self._decorated(words[0]) or self._key(words[0])
        return (hit,) if hit is not None else ()

    def number_of(self, words: tuple[str, ...]) -> tuple[Hit, ...]:
        """Number columns that hold how many there are: "Mitarbeiter" of "Anzahl der Mitarbeiter"."""
        hit = self._columns(("Anzahl", *words))
        return (hit,) if hit is not None else ()

    def tables(self, words: tuple[str, ...]) -> tuple[Hit, ...]:
        """Things called so, with a leading part that names another thing of the scope left aside ("Automodell")."""
        entries = self._matching(words, columns=False)
        exact = entries is not None and entries[1]
        found = list(entries[0]) if entries is not None else []
        if not found and len(words) == 1:
            found, exact = self._with_context(words[0])
        if not found:
            return ()
        listing = [entry for entry in found if self._is_called(entry.table, words)]
        found = listing or found
        return (Hit(things=tuple(self.thing(table) for table in dict.fromkeys(entry.table for entry in found)), exact=exact),)

    def by_verb(self, word: str) -> tuple[Hit, ...]:
        """Things that a participle records ("behandelt": Behandlungen)."""
        stem = verb_stem(fold(word))
        stems = tuple(each for each in {stem, re.sub(r"e([lr])\Z", r"\1", stem)} if len(each) >= 5)
        found = [
            t
            for t, table in self._names.tables.items()
            if stems and fold(_stem(table)).startswith(stems) and fold(word) != fold(_stem(table))
        ]
        return (Hit(things=tuple(self.thing(table) for table in found)),) if found else ()

    def other_names(self, word: str) -> tuple[Token, ...]:
        """A country, region or language in the other language, as tokens to look up."""
        return tuple(Token(0, other, 0, len(other), other) for other in other_place_names(word))

    def without_ending(self, token: Token) -> Token:
        return replace(token, text=token.text[:-1], folded=token.folded[:-1])

    def _is_called(self, table: str, words: tuple[str, ...]) -> bool:
        """The table itself is named for the thing, not only its first column."""
        stem = tuple(word for word in re.split(r"[\s_\-]+", _stem(self._names.tables[table])) if word)
        ways = (*_ways(stem), tuple(part for part in _split(stem) if part not in _NOT_THINGS))
        return any(len(mine) == len(way) and _same_parts(mine, way, like_word) for mine in _ways(words) for way in ways)

    def _columns(self, words: tuple[str, ...]) -> Hit | None:
        entries = self._matching(words, columns=True)
        if entries is None:
            return None
        refs = dict.fromkeys(ColumnRef(entry.table, entry.column) for entry in entries[0])
        return Hit(columns=tuple(refs), exact=entries[1])

    def _decorated(self, word: str) -> Hit | None:
        """ "Durchschnittsalter" asks for an aggregate of the age, "Zylinderzahl" is the number in "Zylinder", "Kursname" what a
        course is called."""
        folded = fold(word)
        called = re.fullmatch(r"(\w{3,}?)s?namen?", folded)
        entries = self._matching((word[: called.end(1)],), columns=False) if called else None
        if entries is not None:
            labels = [label for entry in entries[0] for label in self.thing(entry.table).labels]
            return Hit(columns=tuple(dict.fromkeys(labels)), exact=entries[1])
        for prefix, function in word_book().compound_functions.items():
            if folded.startswith(prefix) and len(folded) > len(prefix) + 2:
                rest = word[len(prefix) :].capitalize()
                hit = self._columns((rest,)) or self._columns(("Anzahl", rest))
                if hit is not None:
                    return replace(hit, function=function)
        for ending in word_book().number_endings:
            stem = word[: -len(ending)]
            if folded.endswith(ending) and len(stem) >= 3:
                hit = self._columns((stem,))
                if hit is not None:
                    numbers = tuple(ref for ref in hit.columns if self._is_number(ref))
                    return replace(hit, columns=numbers) if numbers else None
        return None

    def _key(self, word: str) -> Hit | None:
        """ "Kennung", "ID": the number or code that tells the things of a table apart."""
        if not word_forms(word) & _KEY_WORDS:
            return None
        keys = (self.thing(table).key for table in self._names.tables if self.thing(table).unique)
        return Hit(columns=tuple(key for key in keys if key is not None))

    def _with_context(self, word: str) -> tuple[list[_Entry], bool]:
        parts = compound_parts(word, "de")
        if len(parts) != 2 or not self._matching((parts[0],), columns=False):
            return [], False
        entries = self._matching((parts[1],), columns=False)
        return (list(entries[0]), entries[1]) if entries is not None else ([], False)

    def _matching(self, words: tuple[str, ...], *, columns: bool) -> tuple[tuple[_Entry, ...], bool] | None:
        """Entries called so and whether by their own name; what was found is remembered."""
        if (words, columns) not in self._matched:
            if len(self._matched) >= _MOST_MATCHED:
                self._matched.clear()
            self._matched[words, columns] = self._match(words, columns=columns)
        return self._matched[words, columns]

    def _match(self, words: tuple[str, ...], *, columns: bool) -> tuple[tuple[_Entry, ...], bool] | None:
        ways = dict.fromkeys(_ways(words))
        if not columns:
            ways |= dict.fromkeys(tuple(part for part in way if part not in _NOT_THINGS) for way in tuple(ways))
        exact: dict[_Entry, None] = {}
        like: dict[_Entry, None] = {}
        for parts in ways:
            if not parts:
                continue
            for entry in self._with_rarest(parts):
                if bool(entry.column) == columns and len(entry.parts) == len(parts):
                    if _same_parts(parts, entry.parts, same_word):
                        exact[entry] = None
                    elif _same_parts(parts, entry.parts, like_word):
                        like[entry] = None
        found = exact or like
        return (tuple(found), bool(exact)) if found else None

    def _with_rarest(self, parts: tuple[str, ...]) -> Iterable[_Entry]:
        """The entries that have the part which the fewest have, or one of like meaning."""
        keys: list[tuple[str | int, ...]] = [(*word_forms(part), *same_groups(part)) for part in parts]
        rarest = min(keys, key=lambda each: sum(len(self._by_word.get(key, ())) for key in each))
        return dict.fromkeys(entry for key in rarest for entry in self._by_word.get(key, ()))

    def _is_number(self, ref: ColumnRef) -> bool:
        column = self._names.tables[ref.table].column(ref.column)
        return column is not None and column.column.type in (ColumnType.DECIMAL, ColumnType.INTEGER)

    def _read_thing(self, name: str) -> Thing:
        table = self._names.tables[name]
        index = self._names.values[name]
        first = table.columns[0]
        unique = index.rows > 0 and index.distinct.get(first.sql_name) == index.rows
        key: ColumnRef | None = ColumnRef(name, first.sql_name)
        if not unique and ((name, first.sql_name) in self._many or first.column.type is not ColumnType.TEXT):
            key = None
        return Thing(name, key, unique, self._labels(name, table, key))

    def _labels(self, name: str, table: VisibleTable, key: ColumnRef | None) -> tuple[ColumnRef, ...]:
        texts = [column for column in table.columns if column.column.type is ColumnType.TEXT]
        headers = {fold(column.column.header.replace("_", " ")): column.sql_name for column in texts}
        labels = [fold(label) for label in word_book().label_names]
        for label in labels[:2]:
            if label in headers:
                return (ColumnRef(name, headers[label]),)
        things = {form for word in re.split(r"[\s_\-]+", _stem(table)) for form in word_forms(word) if len(form) >= 3}
        things |= {form for word in (entity_name(table.columns[0].column.header) or "").split() for form in word_forms(word)}
        for header, column in headers.items():
            own = header.removesuffix("name").strip()
            if header.endswith("name") and own and any(own.startswith(thing) for thing in things):
                return (ColumnRef(name, column),)
        if "vorname" in headers and "nachname" in headers:
            return ColumnRef(name, headers["vorname"]), ColumnRef(name, headers["nachname"])
        for label in labels[2:]:
            if label in headers:
                return (ColumnRef(name, headers[label]),)
        for header, column in headers.items():
            if word_forms(header) & things:
                return (ColumnRef(name, column),)
        first_text = next((column for column in table.columns[:2] if column in texts), None)
        if first_text is not None and (name, first_text.sql_name) not in self._many:
            return (ColumnRef(name, first_text.sql_name),)
        return (key,) if key is not None else ()


def _stem(table: VisibleTable) -> str:
    return table.stored.table.sheet or table.version.document.rpartition(".")[0]


def _sayable(header: str, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*names, header)))


@lru_cache(maxsize=32)
def _entries(signature: _Signature) -> Mapping[str | int, tuple[_Entry, ...]]:
    """Every name of every table and column, by the forms and the meaning of its parts."""
    found: dict[str | int, dict[_Entry, None]] = defaultdict(dict)
    for table, stem, keyed, columns in signature:
        own = {form for words in _thing_words(stem, ()) for word in words for form in word_forms(word)}
        called = [("", words) for words in _thing_words(stem, columns[:1] if keyed else ())]
        called += [(column, tuple(re.split(r"[\s_]+", name))) for column, names in columns for name in names]
        for column, words in called:
            plain = tuple(word for word in words if fold(word.strip("()")) not in _UNIT_WORDS) or words
            ways = dict.fromkeys((*_ways(words), *_ways(plain)))
            if column:
                ways |= dict.fromkeys(_without_thing(way, own) for way in tuple(ways))
            for parts in ways:
                for part in parts:
                    keys: tuple[str | int, ...] = (*word_forms(part), *same_groups(part))
                    for key in keys:
                        found[key][_Entry(table, column, parts)] = None
    return {key: tuple(entries) for key, entries in found.items()}


def _thing_words(stem: str, columns: Sequence[tuple[str, tuple[str, ...]]]) -> Iterable[tuple[str, ...]]:
    """What a table's things may be called: its file or sheet, the thing its first column is the key of, or the column itself."""
    words = tuple(word for word in re.split(r"[\s_\-]+", stem) if word)
    kept = tuple(word for word in words if not word_forms(word) & _NOT_THINGS)
    parts = tuple(part for part in _split(words) if part not in _NOT_THINGS)
    yield from dict.fromkeys(way for way in (kept, parts) if way)
    if columns:
        for name in columns[0][1]:
            entity = entity_name(name)
            if entity:
                yield (entity.strip(),)
            elif fold(name) != "id":
                yield tuple(re.split(r"[\s_]+", name))


def _ways(words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The parts of a name: its words, the words that they are made of, or all of them as one word."""
    return _content(words), _split(words), _joined(words)


def scaled_header(header: str) -> bool:
    """The header counts in thousands or millions that its unit does not say ("vermoegen_millionen")."""
    return any(fold(word.strip("()")) in _UNIT_WORDS for word in re.split(r"[\s_]+", header))


def _without_thing(parts: tuple[str, ...], own: set[str]) -> tuple[str, ...]:
    """ "kosten_der_behandlung" in a table of treatments is their cost; a bare "id" or "name" stays as it is written."""
    rest = tuple(part for part in parts if not word_forms(part) & own)
    return rest if rest and not set(rest) <= {"id", "code", "nr", "nummer"} else parts


def _content(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word and fold(word) not in LINKING)


def _split(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for word in _content(words) for part in compound_parts(word, "de"))


def _joined(words: tuple[str, ...]) -> tuple[str, ...]:
    """ "TV-Serien" and "Fernsehserie" may be one word to a list of like words ("tvserie")."""
    content = _content(words)
    return ("".join((*(fold(word) for word in content[:-1]), base_form(content[-1], "de"))),) if len(content) > 1 else content


def _same_parts(parts: tuple[str, ...], others: tuple[str, ...], same: Callable[[str, str], bool]) -> bool:
    """Each part of the one is a part of the other, each once, in any order."""
    left = list(others)
    for part in parts:
        match = next((other for other in left if same(part, other)), None)
        if match is None:
            return False
        left.remove(match)
    return True
