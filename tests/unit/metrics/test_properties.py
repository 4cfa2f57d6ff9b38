"""What must hold for every metric on any input."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.models import (
    Failure,
    RetrievedChunk,
    Sample,
    Score,
    ScoreState,
    SourcePolicy,
    SystemOutput,
    Usage,
)
from ragate.protocols import Pair
from tests.unit.metrics.metric_factories import (
    AGGREGATES,
    ON_SAMPLES,
    REFERENCE,
    RETRIEVAL,
    aggregate,
    make,
    metric,
)

PIECES = (
    *("the", "moon", "42", "1,000", "[1]", "[9]", '"moon', "orbits", 'earth"', ".", "%"),
    *("東京", "e.g.", "-", "Moon.", "unable", "\n", "I don't know."),
)
WORDS = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)
TEXTS = st.one_of(WORDS, st.text(max_size=30))
IDS = st.sampled_from("abcdefgh")
SAMPLES = st.builds(
    Sample,
    id=st.just("q"),
    query=WORDS.map(lambda text: text or "q"),
    relevant=st.dictionaries(IDS, st.integers(-1, 4), max_size=6),
    references=st.lists(TEXTS, max_size=3).map(tuple),
    answerable=st.booleans(),
    answer_keywords=st.lists(
        st.lists(st.sampled_from(["moon", "42", "東京"]), min_size=1, max_size=2).map(tuple),
        max_size=2,
        unique=True,
    ).map(tuple),
    source_policy=st.none()
    | st.builds(
        SourcePolicy,
        form=st.sampled_from(["quote_only", "summarise"]),
        allowed=st.lists(st.sampled_from("abcd"), max_size=2, unique=True).map(tuple),
        forbidden=st.sampled_from([(), ("g*",), ("h", "e")]),
    ),
)
OUTPUTS = st.builds(
    SystemOutput,
    chunks=st.lists(st.builds(RetrievedChunk, doc_id=IDS, text=TEXTS), max_size=8).map(tuple),
    answer=st.none() | TEXTS,
    citations=st.none() | st.lists(st.integers(-1, 9), max_size=3).map(tuple),
    usage=st.none()
    | st.builds(
        Usage,
        prompt_tokens=st.integers(0, 9),
        completion_tokens=st.integers(0, 9),
        cost_usd=st.none() | st.floats(0, 9),
    ),
    latency_s=st.none() | st.floats(0, 1e6),
    first_stage=st.none() | st.lists(IDS, max_size=8, unique=True).map(tuple),
    error=st.sampled_from(
        [None, None, Failure(kind="system", message="m"), Failure(kind="provider", message="m")]
    ),
)
PAIRS = st.lists(st.tuples(SAMPLES, OUTPUTS), max_size=6)


def holds(name: str, score: Score, low: float, high: float | None) -> None:
    assert score.metric == name
    if score.state is ScoreState.VALUE:
        assert score.value is not None
        assert math.isfinite(score.value)
        assert low <= score.value <= (math.inf if high is None else high)
    else:
        assert score.reason


@given(pairs=PAIRS)
def test_a_value_is_in_its_range_and_all_else_has_a_reason(pairs: list[Pair]) -> None:
    for name in ON_SAMPLES:
        measured = metric(name, samples=[sample for sample, _ in pairs])
        scores = measured.score_samples(pairs)

        assert len(scores) == len(pairs)
        for score in scores:
            holds(name, score, measured.info.low, measured.info.high)


@given(pairs=PAIRS, seed=st.integers(0, 99))
def test_an_aggregate_is_in_its_range_whatever_the_order(pairs: list[Pair], seed: int) -> None:
    shuffled = random.Random(seed).sample(pairs, len(pairs))
    for name in AGGREGATES:
        info = make(name).info
        result = aggregate(name, pairs)

        holds(name, result, info.low, info.high)
        assert aggregate(name, shuffled) == result


@given(pairs=PAIRS.filter(bool))
def test_a_score_depends_on_its_own_sample_only(pairs: list[Pair]) -> None:
    for name in ON_SAMPLES:
        measured = metric(name, samples=[sample for sample, _ in pairs])
        together = measured.score_samples(pairs)

        assert [measured.score_samples([pair])[0] for pair in pairs] == together
        assert measured.score_samples(pairs[::-1])[::-1] == together


def assert_same_scores(
    names: Iterable[str], sample: Sample, output: SystemOutput, *others: Pair
) -> None:
    for name in names:
        measured = metric(name)
        for other in others:
            assert measured.score_samples([(sample, output)]) == measured.score_samples([other])


@given(sample=SAMPLES, output=OUTPUTS)
def test_repeating_chunks_further_down_changes_no_retrieval_score(
    sample: Sample, output: SystemOutput
) -> None:
    twice = output.amended(chunks=output.chunks * 2)

    assert_same_scores(RETRIEVAL, sample, output, (sample, twice))


@given(sample=SAMPLES, output=OUTPUTS)
def test_the_order_of_labels_changes_no_score(sample: Sample, output: SystemOutput) -> None:
    relevant = dict(reversed(sample.relevant.items()))
    backwards = sample.amended(relevant=relevant, references=sample.references[::-1])

    assert_same_scores(ON_SAMPLES, sample, output, (backwards, output))


@given(reference=TEXTS)
def test_the_reference_itself_is_the_best_answer(reference: str) -> None:
    sample = Sample(id="q", query="q", references=(reference,))
    worded = any(char.isalnum() for char in reference) and "[" not in reference
    for name in REFERENCE:
        [score] = metric(name).score_samples([(sample, SystemOutput(answer=reference))])

        if score.state is ScoreState.VALUE and worded:
            assert score.value == pytest.approx(1.0)
