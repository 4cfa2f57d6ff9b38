"""Metrics on embeddings: an oracle in plain NumPy, bands, what needs no vector."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ragate import plugins
from ragate.errors import ConfigError
from ragate.models import Needs, Sample, Score, ScoreState, SystemOutput
from tests.unit.metrics.metric_factories import (
    EMBEDDED,
    answered,
    asked,
    make,
    retrieved,
    score,
    value,
)

ANSWER = "Refunds take thirty days. Shipping is free! Is the moon made of cheese?"

CONTEXTS = (
    "Refunds are possible within thirty days.",
    "Shipping is free of charge.",
    "Other things.",
)

QUESTION = "How long do refunds take?"

REFERENCES = ("A refund is possible for thirty days.", "Within 30 days.")


def vector(text: str) -> Any:
    """Return some vector: the same for the same text, near for texts of the same letters."""
    rows = [
        np.frombuffer(hashlib.sha512(text[i : i + 3].lower().encode()).digest(), np.uint8)
        for i in range(max(1, len(text) - 2))
    ]
    return np.sum([row.astype(np.float64) - 127.5 for row in rows], axis=0).astype(np.float32)


def measured(name: str, sample: Sample, output: SystemOutput, **settings: Any) -> Score:
    made = make(name, settings=settings, samples=[sample])
    texts = made.texts(sample, output)
    found: Score = made.score(
        sample, output, {text: vector(text).astype(np.float64) for text in texts}
    )
    return found


def cosine(one: str, other: str) -> float:
    a, b = vector(one).astype(np.float64), vector(other).astype(np.float64)
    return max(0.0, float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-10)))


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


def test_the_answer_may_be_held_beside_the_question() -> None:
    found = measured(
        "embedded_answer_relevance", asked(query=QUESTION), answered(ANSWER), against="question"
    )

    assert found.value == pytest.approx(cosine(ANSWER, QUESTION), abs=1e-6)


def token_oracle(answer: Sequence[str], reference: Sequence[str], known: Sequence[str]) -> float:
    def weight(word: str) -> float:
        return float(np.log(1 + len(known) / max(1, sum(word in text for text in known))))

    def share(side: Sequence[str], other: Sequence[str]) -> float:
        best = [max(cosine(word, one) for one in other) for word in side]
        return float(np.dot(best, [weight(w) for w in side]) / sum(weight(w) for w in side))

    precision, recall = share(answer, reference), share(reference, answer)
    return 2 * precision * recall / (precision + recall)


def test_words_are_matched_by_meaning_and_rare_ones_count_most() -> None:
    samples = [
        asked("refund in thirty days").amended(id="a"),
        asked("shipping in thirty hours").amended(id="b"),
    ]
    made = make("embedded_token_f1", samples=samples)
    output = answered("refunds after thirty days [1]")
    texts = made.texts(samples[0], output)
    vectors = {text: vector(text).astype(np.float64) for text in texts}

    found = made.score(samples[0], output, vectors)

    expected = token_oracle(
        ["refunds", "after", "30", "days"],
        ["refund", "in", "30", "days"],
        ["refund in 30 days", "shipping in 30 hours"],
    )
    assert found.value == pytest.approx(expected, abs=1e-6)
    assert made.state[""] == 2.0


def test_the_table_of_the_baseline_is_taken_before_a_new_one() -> None:
    state = {"": 7.0, "days": 3.0}

    assert make("embedded_token_f1", samples=[asked("x")], state=state).state == state


@pytest.mark.parametrize("answer", ["the same words", "words the same", "東京 3.5"])
def test_the_words_of_the_reference_score_one_and_none_score_zero(answer: str) -> None:
    assert value("embedded_token_f1", asked("the same words", "東京 3.5"), answered(answer)) == 1.0
    assert value("embedded_token_f1", asked("the same words"), answered("!?")) == 0.0


def test_a_chunk_without_text_beside_others_is_near_to_nothing() -> None:
    output = answered("x", "one two", " ")

    assert value("embedded_context_relevance", asked(query="one two"), output) == 0.5
    assert value("embedded_sufficiency", asked(query="one two"), output) == 0.5


@pytest.mark.parametrize("threshold", [0.4, 0.9])
def test_a_threshold_is_reached_from_itself_on(threshold: float) -> None:
    output = answered("a b", "a c")  # a cosine of 0.5
    settings = {"threshold": threshold}

    found = value("embedded_hallucination", asked(), output, settings=settings)
    enough = value("embedded_sufficiency", asked(query="a b"), output, settings=settings)

    assert (found, enough) == ((0.0, 1.0) if threshold < 0.5 else (1.0, 0.0))
    assert value("embedded_sufficiency", asked(query="a b"), output) == 1.0


@pytest.mark.parametrize("threshold", [0, 1.5, "high"])
def test_a_threshold_outside_of_its_range_is_an_error(threshold: object) -> None:
    with pytest.raises(ConfigError, match="threshold"):
        make("embedded_sufficiency", settings={"threshold": threshold})


def test_a_high_share_of_unsupported_sentences_says_so() -> None:
    found = score("embedded_hallucination", asked(), answered("One two. Three four.", "one two"))

    assert found.value == 0.5
    assert found.reason == "above 0.3: significant claims have no support"


def test_an_answer_without_words_is_a_hallucination() -> None:
    assert value("embedded_hallucination", asked(), answered("[1] …", "x")) == 1.0


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"use": "hash"}, "use = 'hash': no embedder of ragate; did you mean 'hashing'"),
        ({"dimensions": 64}, "embedder: use is missing"),
        ({"use": "hashing", "dimension": 64}, "unknown key 'dimension'; did you mean 'dimensions'"),
        ({"use": "hashing", "dimensions": 1}, "dimensions = 1"),
        ({"use": 3}, "use = 3: no embedder of ragate"),
        ({"use": "mine.embedder"}, "use = 'mine.embedder': no embedder of ragate"),
    ],
)
def test_a_wrong_embedder_names_the_metric_the_key_and_what_is_known(
    table: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        plugins.metric("embedded_correctness", settings={"embedder": table})

    assert message in raised.value.message
    assert '[policy.metrics."embedded_correctness"] embedder' in raised.value.message
