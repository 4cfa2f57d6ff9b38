"""Contexts that exceed the window of a prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ragate.embedders import hashing
from tests.contrib.llamaindex_judge.llamaindex_factories import (
    is_refine,
    judge_by,
    make,
    obedient,
    resources_of,
)
from tests.unit.judges.judge_factories import TWO, Chat, answered, asked

BINARY = ["faithfulness_binary"]


def test_blank_chunks_are_no_steps() -> None:
    chat = Chat(["NO"] * 2)

    judge_by(chat, asked(), answered("A", "one", " \n", "two"), BINARY, mode="refine")

    assert len(chat.requests) == 2


def test_contexts_that_exceed_the_window_go_on_in_a_chain() -> None:
    chat = obedient(lambda _evaluator, _prompt: False)
    output = answered("A", *("word " * 1_200 + f"end{number}" for number in range(3)))

    judge_by(chat, asked(), output, BINARY, context_window=3_000)

    assert [is_refine(request) for request in chat.requests] == [False, True]
    text = "".join(request.messages[0][1] for request in chat.requests)
    assert all(f"end{number}" in text for number in range(3))


# Similarity by embeddings, without a model that judges.


def test_semantic_similarity_is_the_best_cosine_over_the_references() -> None:
    embedder = hashing.create({}, lambda _name: None)
    sample = asked().amended(references=("It was red.", "kept 30 days in Oslo"))
    output = answered("kept 30 days in Oslo")

    scores = judge_by(
        None,
        sample,
        output,
        ["semantic_similarity"],
        resources_of(embedder=embedder),
        embedder={"use": "hashing"},
    )

    assert scores["semantic_similarity"].value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("vectors", "value"),
    [([[1, 0], [-1, 0]], 0.0), ([[3, 4], [4, 3]], 0.96), ([[0, 0], [1, 0]], None)],
)
def test_a_cosine_is_no_less_than_nought_and_needs_two_directions(
    vectors: list[list[float]], value: float | None
) -> None:
    async def embed(_texts: Sequence[str]) -> Any:
        return np.array(vectors, dtype=np.float32)

    made: Any = embed
    scores = judge_by(
        None,
        asked(),
        TWO,
        ["semantic_similarity"],
        resources_of(embedder=made),
        embedder={"use": "x"},
    )

    assert scores["semantic_similarity"].value == (pytest.approx(value) if value else value)


def test_without_an_embedder_similarity_is_unscored_and_not_offered() -> None:
    score = judge_by(Chat([]), asked(), TWO, ["semantic_similarity"])["semantic_similarity"]

    assert score.reason == "judge: semantic_similarity needs the table [policy.judge.embedder]"
    assert "semantic_similarity" not in asyncio.run(make(Chat([]))).criteria
