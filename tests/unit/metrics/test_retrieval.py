"""The retrieval metrics by hand."""

from __future__ import annotations

from math import log2

import pytest

from ragate.errors import ConfigError
from ragate.models import Reads, ScoreState
from tests.unit.metrics.metric_factories import RETRIEVAL, judged, metric, retrieved, score, value

NEEDS_CUT_OFF = (
    "all_found",
    "hit_rate",
    "recall",
    "precision",
    "ndcg",
    "judged",
    "first_stage_ndcg",
    "first_stage_recall",
)


def test_a_document_has_the_rank_of_its_best_chunk() -> None:
    assert value("mrr", judged(b=1), retrieved("a", "a", "a", "b", "a")) == 1 / 2
    assert value("precision@2", judged(b=1), retrieved("b", "b", "a")) == 1 / 2


@pytest.mark.parametrize("name", RETRIEVAL)
def test_a_sample_without_relevant_documents_is_not_applicable(name: str) -> None:
    for sample in (judged(), judged(a=0, b=-1)):
        assert score(name, sample, retrieved("a")).state is ScoreState.NOT_APPLICABLE


@pytest.mark.parametrize("name", RETRIEVAL)
def test_an_empty_retrieval_scores_zero(name: str) -> None:
    assert value(name, judged(a=1), retrieved()) == 0.0


def test_a_negative_grade_gains_nothing_and_counts_as_judged() -> None:
    sample, output = judged(a=1, b=-1), retrieved("b", "a")

    assert value("ndcg@2", sample, output) == pytest.approx(1 / log2(3))
    assert value("judged@2", sample, output) == 1.0


@pytest.mark.parametrize("base", NEEDS_CUT_OFF)
def test_a_missing_cut_off_is_an_error_that_shows_one(base: str) -> None:
    with pytest.raises(ConfigError, match=f"{base} needs a cut-off: {base}@10"):
        metric(base)


@pytest.mark.parametrize("base", [*NEEDS_CUT_OFF, "mrr", "map"])
def test_a_cut_off_of_zero_is_an_error(base: str) -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        metric(f"{base}@0")


def test_a_cut_off_that_a_metric_does_not_take_is_an_error() -> None:
    with pytest.raises(ConfigError, match="r_precision takes no cut-off"):
        metric("r_precision@5")


def test_an_unknown_gain_is_an_error_that_names_the_table() -> None:
    with pytest.raises(ConfigError, match=r'\[policy.metrics."ndcg@10"\]: gain'):
        metric("ndcg@10", settings={"gain": "cubic"})


def test_cut_off_and_gain_are_part_of_the_identity() -> None:
    prints = {
        metric("ndcg@10").info.fingerprint,
        metric("ndcg@5").info.fingerprint,
        metric("ndcg@10", settings={"gain": "exponential"}).info.fingerprint,
        metric("recall@10").info.fingerprint,
    }

    assert len(prints) == 4
    assert metric("ndcg@10", settings={"gain": "linear"}).info == metric("ndcg@10").info


@pytest.mark.parametrize("name", RETRIEVAL)
def test_retrieval_metrics_read_the_retrieval_only(name: str) -> None:
    assert metric(name).info.reads is Reads.RETRIEVAL
    assert metric(name).info.name == name


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [("abx", 1.0), ("xba", 1.0), ("axyb", 0.0), ("", 0.0)],
)
def test_all_found_wants_every_relevant_document_among_the_first_k(
    ranking: str, expected: float
) -> None:
    assert value("all_found@3", judged(a=1, b=2, c=0), retrieved(*ranking)) == expected
