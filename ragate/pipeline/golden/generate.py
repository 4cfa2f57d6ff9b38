"""Draft questions from the corpus, of several kinds; a person accepts them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragate.config import Config
from ragate.core.hashing import digest
from ragate.core.text.near_duplicates import near_duplicates
from ragate.core.text.quoted_passages import normalise, passage_hash
from ragate.core.text.words import tokens
from ragate.errors import DatasetError, UsageError
from ragate.pipeline.golden.drafting import Model, Replies, ask_all, documents_block
from ragate.pipeline.golden.prompts import QUESTIONS, TASKS
from ragate.pipeline.run.corpus_texts import Texts
from ragate.runtime.resources import Operations
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
    replies: Replies


async def generate(
    config: Config,
    operations: Operations,
    texts: Texts,
    model: Model,
    *,
    count: int,
    kinds: Sequence[str],
    seed: int,
    known: Sequence[str] = (),
) -> Generated:
    """Ask for `count` questions; a quote that does not stand in its document drops its question.

    Args:
        kinds: Taken in turn.
        known: Questions that are there already: what is nearly the same is dropped.

    Raises:
        UsageError: the corpus is too small.
    """
    plans = plan(texts, count=count, kinds=kinds, seed=seed)
    prompts = {one.key: (QUESTIONS, _user(one, texts)) for one in plans}
    replies = await ask_all(config, operations, model, prompts)
    dropped: Counter[str] = Counter()
    rows = []
    for one in plans:
        if one.key in replies.texts:
            try:
                rows.append(_row(one, replies.texts[one.key], texts, model))
            except DatasetError as error:
                dropped[error.message] += 1
    new = _new(rows, known)
    if len(new) < len(rows):
        dropped["nearly the same as another question"] += len(rows) - len(new)
    return Generated(new, dict(dropped), replies)


def plan(texts: Texts, *, count: int, kinds: Sequence[str], seed: int) -> list[QuestionPlan]:
    """Return what to ask for, the same for the same seed: each document in turn."""
    usable = sorted(
        (doc_id for doc_id, text in texts.items() if len(text) >= LEAST_CHARACTERS),
        key=lambda doc_id: digest([seed, doc_id]),
    )
    least = 2 if _TWO & set(kinds) else 1
    if len(usable) < least:
        raise UsageError(
            f"the corpus has {len(usable)} documents of {LEAST_CHARACTERS} characters or more; "
            f"this needs {least}"
        )
    words = {doc_id: frozenset(tokens(texts[doc_id])) for doc_id in usable[:_COMPARED]}
    found = []
    for number in range(count):
        kind, doc_id = kinds[number % len(kinds)], usable[number // len(kinds) % len(usable)]
        docs = (doc_id, _second(doc_id, words, texts)) if kind in _TWO else (doc_id,)
        found.append(QuestionPlan(str(number + 1), kind, docs))
    return found


def _second(doc_id: str, words: Mapping[str, frozenset[str]], texts: Texts) -> str:
    """Return the document that shares most of its words with this one."""
    own = words.get(doc_id) or frozenset(tokens(texts[doc_id]))

    def likeness(other: str) -> float:
        return len(own & words[other]) / max(len(own | words[other]), 1)

    return max((one for one in words if one != doc_id), key=lambda one: (likeness(one), one))


def _user(one: QuestionPlan, texts: Texts) -> str:
    documents = documents_block([(doc_id, texts[doc_id]) for doc_id in one.docs])
    # A document that comes up again is asked for something else.
    return f"{documents}\n\n{TASKS[one.kind]}\n\nThis is question {one.key} of the collection."


def _row(one: QuestionPlan, reply: str, texts: Texts, model: Model) -> dict[str, Any]:
    """Return a draft sample.

    Raises:
        DatasetError: the reply cannot be used; says why.
    """
    found = _OBJECT.search(reply)
    if found is None:
        raise DatasetError("no JSON object")
    value = loads(found[0], where="reply", error=DatasetError)
    question = _text(value, "question")
    row: dict[str, Any] = {"id": f"gen-{digest(question)[:10]}", "query": question}
    if one.kind == "unanswerable":
        row["answerable"] = False
    else:
        quotes = dict(_quotes(one, value, texts))
        row["relevant"] = list(quotes)
        row["references"] = [_text(value, "answer")]
        row["evidence"] = {
            doc_id: {"quote": quote, "hash": passage_hash(quote)}
            for doc_id, quote in quotes.items()
        }
    metadata = {"source": "synthetic", "kind": one.kind, "model": model.name}
    return {**row, "tags": ["generated", one.kind], "metadata": metadata, "draft": True}


def _quotes(one: QuestionPlan, value: Any, texts: Texts) -> Iterator[tuple[str, str]]:
    docs = one.docs if one.kind == "multi-document" else one.docs[:1]
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


def _new(rows: Sequence[dict[str, Any]], known: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows whose question is not nearly one that is known or one before it."""
    queries = [*known, *(row["query"] for row in rows)]
    twice = {near.later - len(known) for near in near_duplicates(queries, threshold=SIMILAR)}
    ids: set[str] = set()
    found = []
    for number, row in enumerate(rows):
        if number not in twice and row["id"] not in ids:
            ids.add(row["id"])
            found.append(row)
    return found
