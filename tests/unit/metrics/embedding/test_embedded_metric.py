"""Every metric on embeddings: an oracle in plain NumPy, bands, what needs no vector."""

from __future__ import annotations

import asyncio
import re

import numpy as np
import pytest

from ragate.models import Needs, ScoreState
from tests.unit.metrics.embedding.embedding_factories import (
    ANSWER,
    CONTEXTS,
    QUESTION,
    REFERENCES,
    cosine,
    measured,
)
from tests.unit.metrics.metric_factories import (
    EMBEDDED,
    answered,
    asked,
    make,
    retrieved,
    score,
    value,
)


def oracle(name: str) -> float:
    """Say each formula once more, text by text and as plainly as can be."""
    if name == "embedded_context_relevance":
        return float(np.mean([cosine(QUESTION, text) for text in CONTEXTS]))
    if name == "embedded_sufficiency":
        return sum(cosine(QUESTION, text) >= 0.5 for text in CONTEXTS) / len(CONTEXTS)
    if name == "embedded_hallucination":
        sentences = [s.strip() for s in re.findall(r"[^.!?]+[.!?]", ANSWER)]
        best = [max(cosine(one, text) for text in CONTEXTS) for one in sentences]
        return sum(one < 0.4 for one in best) / len(sentences)
    return max(cosine(ANSWER, reference) for reference in REFERENCES)


@pytest.mark.parametrize("name", [n for n in EMBEDDED if n != "embedded_token_f1"])
def test_a_score_equals_the_plain_formula_to_six_digits(name: str) -> None:
    sample = asked(*REFERENCES, query=QUESTION)

    found = measured(name, sample, answered(ANSWER, *CONTEXTS))

    assert found.value == pytest.approx(oracle(name), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "band", "meaning"),
    [
        ("embedded_context_relevance", 0.5, "retrieved contexts may be off-topic"),
        ("embedded_sufficiency", 0.5, "insufficient evidence was retrieved"),
        ("embedded_answer_relevance", 0.6, "the answer may not address the question"),
        ("embedded_correctness", 0.6, "factual issues are likely"),
    ],
)
def test_a_low_score_says_how_it_reads(name: str, band: float, meaning: str) -> None:
    same = score(name, asked("one two", query="one two"), answered("one two", "one two"))
    other = score(name, asked("one two", query="one two"), answered("three", "three"))

    assert (same.value, same.reason) == (1.0, "")
    assert (other.value, other.reason) == (0.0, f"below {band:g}: {meaning}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("embedded_context_relevance", 0.0),
        ("embedded_sufficiency", 0.0),
        ("embedded_hallucination", 1.0),
    ],
)
def test_nothing_retrieved_is_the_worst_value_and_asks_for_no_vector(
    name: str, expected: float
) -> None:
    assert value(name, asked(), answered("x")) == expected
    assert list(make(name).texts(asked(), answered("x"))) == []


@pytest.mark.parametrize(
    "name", ["embedded_context_relevance", "embedded_sufficiency", "embedded_hallucination"]
)
def test_chunks_without_texts_are_unscored(name: str) -> None:
    found = score(name, asked(), retrieved("a").amended(answer="x"))

    assert found.state is ScoreState.UNSCORED
    assert found.reason == "the retrieved chunks carry no text"


@pytest.mark.parametrize("name", EMBEDDED)
def test_an_unanswerable_question_is_not_applicable_and_asks_for_no_vector(name: str) -> None:
    sample = asked("x", answerable=False)

    assert score(name, sample, answered("x", "x")).state is ScoreState.NOT_APPLICABLE
    assert list(make(name).texts(sample, answered("x", "x"))) == []


@pytest.mark.parametrize("name", EMBEDDED)
def test_without_an_embedder_a_policy_cannot_name_it(name: str) -> None:
    made = make(name)

    assert "has no embedder: name one in [policy.embedder]" in made.unusable
    assert not make(name, settings={"embedder": {"use": "hashing"}}).unusable
    with pytest.raises(ValueError, match="no embedder"):
        asyncio.run(made.embedder(["x"]))


@pytest.mark.parametrize("name", EMBEDDED)
def test_another_embedder_or_threshold_is_another_metric(name: str) -> None:
    tables = [{"use": "hashing"}, {"use": "hashing", "dimensions": 64}]
    prints = {make(name, settings={"embedder": table}).info.fingerprint for table in tables}

    assert len(prints) == 2
    assert make(name).info.needs is Needs.EMBEDDINGS
