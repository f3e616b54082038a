"""A question in words -> the plan of a search in the texts of rows, or None where it is none."""

from __future__ import annotations

from indexer.table_rows import read_rows
from orchestrator.lexicon import lexicon
from orchestrator.link_names import Names
from orchestrator.link_versions import find_versions
from orchestrator.plan import SearchPlan
from orchestrator.question import Question
from orchestrator.scope import Scope, VisibleTable
from orchestrator.search.topic import read_topic
from orchestrator.search.variants import variants_of
from orchestrator.search.views import holds_texts
from orchestrator.segment_reader import SegmentReader
from parsers.table import ColumnType

_WORDS_OF_A_TEXT = 3
_TEXTS_OF_A_COLUMN = 0.5


def read_search(question: Question, scope: Scope, names: Names, reader: SegmentReader) -> SearchPlan | None:
    """`names`: of the version of each table that the question reads."""

    def is_text(table: str, column: str) -> bool:
        found = names.tables.get(table)
        return found is not None and _holds_sentences(found, column, reader)

    if _denies(question):
        return None
    versions = find_versions(question, scope, ())
    topic = read_topic(question, names, is_text, [(mention.first, mention.last) for mention in versions])
    if topic is None:
        return None
    tables = tuple(name for name in topic.tables if name in names.tables and holds_texts(names.tables[name]))
    if not tables:
        return None
    return SearchPlan(tables, topic.text, variants_of(topic.text, topic.words, scope.synonyms), named=True)


def _denies(question: Question) -> bool:
    """ "nicht", "ohne": what fits the words best is just what is not asked for."""
    book = lexicon(question.language)
    return any({"not", "without"}.intersection(book.concepts((token.folded,))) for token in question.tokens)


def _holds_sentences(table: VisibleTable, sql_name: str, reader: SegmentReader) -> bool:
    """Whether most texts of the column, in the rows that may be seen, have several words."""
    column = table.column(sql_name)
    if column is None or column.column.type is not ColumnType.TEXT:
        return False

    def share() -> float:
        rows = read_rows(table.stored, {sql_name}, table.row_filter)
        texts = [value for value in rows.values[sql_name] if isinstance(value, str)]
        return sum(len(text.split()) >= _WORDS_OF_A_TEXT for text in texts) / len(texts) if texts else 0.0

    seen = ",".join(f"{name}={'|'.join(values)}" for name, values in sorted(table.row_filter.items()))
    kept: float = reader.kept(table, sql_name, f"share of sentences {seen}", share)
    return kept >= _TEXTS_OF_A_COLUMN
