"""Draft questions from the corpus, of several kinds; a person accepts them."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragate.config import Config
from ragate.core.hashing import digest
from ragate.core.text.near_duplicates import near_duplicates
from ragate.core.text.quoted_passages import normalise, passage_hash
from ragate.core.text.words import tokens
from ragate.errors import DatasetError, UsageError
from ragate.pipeline.golden.drafting import (
    QUESTIONS,
    TASKS,
    DraftReplies,
    Model,
    ask_all,
    documents_block,
)
from ragate.pipeline.run.corpus_texts import Texts
from ragate.runtime.operations import Operations
from ragate.support.strict_json import loads

KINDS = tuple(TASKS)
LEAST_CHARACTERS = 40  # a document below says too little to ask about
SIMILAR = 0.8
_COMPARED = 200  # documents among which a second one is looked for
_TWO = frozenset({"multi-document", "distracting"})
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True)
class QuestionPlan:
    """One question to be asked for: its kind and the documents it is about."""

    key: str
    kind: str
    docs: tuple[str, ...]


@dataclass(frozen=True)
class Generated:
    """Draft samples as rows, and how many replies were left out, by reason."""

    rows: list[dict[str, Any]]
    dropped: dict[str, int]
    replies: DraftReplies


async def generate(
    config: Config,
    operations: Operations,
    texts: Texts,
    model: Model,
    *,
    count: int,
    kinds: Sequence[str],
    seed: int,
    queries: Sequence[str] = (),
    documents: Collection[str] | None = None,
) -> Generated:
    """Ask for `count` questions; a quote that does not stand in its document drops its question.

    Args:
        kinds: Taken in turn.
        queries: Questions that are there already: what is nearly the same is dropped.
        documents: Those that questions are asked about; None asks about all.

    Raises:
        UsageError: the corpus is too small.
    """
    plans = plan(texts, count=count, kinds=kinds, seed=seed, documents=documents)
    prompts = {question.key: (QUESTIONS, _user(question, texts)) for question in plans}
    replies = await ask_all(config, operations, model, prompts)
    dropped: Counter[str] = Counter()
    rows = []
    for question in plans:
        if question.key in replies.texts:
            try:
                rows.append(_row(question, replies.texts[question.key], texts, model))
            except DatasetError as error:
                dropped[error.message] += 1
    new = new_rows(rows, queries)
    if len(new) < len(rows):
        dropped["nearly the same as another question"] += len(rows) - len(new)
    return Generated(new, dict(dropped), replies)


def plan(
    texts: Texts,
    *,
    count: int,
    kinds: Sequence[str],
    seed: int,
    documents: Collection[str] | None = None,
) -> list[QuestionPlan]:
    """Return what to ask for, the same for the same seed: each document in turn."""
    long_enough = sorted(
        (doc_id for doc_id, text in texts.items() if len(text) >= LEAST_CHARACTERS),
        key=lambda doc_id: digest([seed, doc_id]),
    )
    least = 2 if _TWO & set(kinds) else 1
    usable = [doc_id for doc_id in long_enough if documents is None or doc_id in documents]
    if len(long_enough) < least or not usable:
        raise UsageError(
            f"{len(usable)} of {len(long_enough)} documents of {LEAST_CHARACTERS} characters or "
            f"more can be asked about; this needs a corpus of {least}"
        )
    words = {doc_id: frozenset(tokens(texts[doc_id])) for doc_id in long_enough[:_COMPARED]}
    plans = []
    for number in range(count):
        kind, doc_id = kinds[number % len(kinds)], usable[number // len(kinds) % len(usable)]
        docs = (doc_id, _neighbour(doc_id, words, texts)) if kind in _TWO else (doc_id,)
        plans.append(QuestionPlan(str(number + 1), kind, docs))
    return plans


def _neighbour(doc_id: str, words: Mapping[str, frozenset[str]], texts: Texts) -> str:
    """Return the document that shares most of its words with this one."""
    doc_words = words.get(doc_id) or frozenset(tokens(texts[doc_id]))

    def likeness(candidate: str) -> float:
        return len(doc_words & words[candidate]) / max(len(doc_words | words[candidate]), 1)

    return max(
        (candidate for candidate in words if candidate != doc_id),
        key=lambda candidate: (likeness(candidate), candidate),
    )


def _user(question: QuestionPlan, texts: Texts) -> str:
    documents = documents_block([(doc_id, texts[doc_id]) for doc_id in question.docs])
    # A document that comes up again is asked for something else.
    number = f"This is question {question.key} of the collection."
    return f"{documents}\n\n{TASKS[question.kind]}\n\n{number}"


def _row(question: QuestionPlan, reply: str, texts: Texts, model: Model) -> dict[str, Any]:
    """Return a draft sample.

    Raises:
        DatasetError: the reply cannot be used; says why.
    """
    match = _OBJECT.search(reply)
    if match is None:
        raise DatasetError("no JSON object")
    value = loads(match[0], where="reply", error=DatasetError)
    query = _text(value, "question")
    row: dict[str, Any] = {"id": f"gen-{digest(query)[:10]}", "query": query}
    if question.kind == "unanswerable":
        row["answerable"] = False
    else:
        quotes = dict(_quotes(question, value, texts))
        row["relevant"] = list(quotes)
        row["references"] = [_text(value, "answer")]
        row["evidence"] = {
            doc_id: {"quote": quote, "hash": passage_hash(quote)}
            for doc_id, quote in quotes.items()
        }
    metadata = {"source": "synthetic", "kind": question.kind, "model": model.name}
    return {**row, "tags": ["generated", question.kind], "metadata": metadata, "draft": True}


def _quotes(question: QuestionPlan, value: Any, texts: Texts) -> Iterator[tuple[str, str]]:
    docs = question.docs if question.kind == "multi-document" else question.docs[:1]
    quotes = value.get("quotes") if isinstance(value, dict) else None
    if not isinstance(quotes, list) or len(quotes) < len(docs):
        raise DatasetError("no quote")
    for doc_id, quote in zip(docs, quotes, strict=False):
        if not isinstance(quote, str) or not normalise(quote):
            raise DatasetError("no quote")
        if normalise(quote) not in normalise(texts[doc_id]):
            raise DatasetError("its quote does not stand in the document")
        yield doc_id, quote.strip()


def _text(value: Any, name: str) -> str:
    text = value.get(name) if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text or len(text) > 4000:
        raise DatasetError(f"no usable {name}")
    return " ".join(text.split())


def new_rows(rows: Sequence[dict[str, Any]], queries: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows whose question is not nearly one that is known or one before it."""
    all_queries = [*queries, *(row["query"] for row in rows)]
    twice = {near.later - len(queries) for near in near_duplicates(all_queries, threshold=SIMILAR)}
    ids: set[str] = set()
    new = []
    for number, row in enumerate(rows):
        if number not in twice and row["id"] not in ids:
            ids.add(row["id"])
            new.append(row)
    return new
