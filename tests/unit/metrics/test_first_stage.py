"""The ranking before a reranker, measured as the one after it is."""

from __future__ import annotations

import pytest

from ragate.core.hashing import output_hash
from ragate.models import SystemOutput
from tests.unit.metrics.metric_factories import judged, retrieved, value

PAIRS = [("first_stage_ndcg@2", "ndcg@2"), ("first_stage_recall@2", "recall@2")]


def reranked(*after: str, before: tuple[str, ...]) -> SystemOutput:
    return retrieved(*after).amended(first_stage=before)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_it_is_the_same_metric_on_the_ranking_before(before: str, after: str) -> None:
    sample = judged(a=2, b=1, c=1)
    output = reranked("a", "b", before=("x", "a", "b", "c"))

    assert value(before, sample, output) == value(after, sample, retrieved("x", "a", "b"))
    assert value(after, sample, output) > value(before, sample, output)


@pytest.mark.parametrize("name", [name for name, _ in PAIRS])
def test_without_a_reranker_the_only_ranking_counts(name: str) -> None:
    after = name.removeprefix("first_stage_")
    sample, output = judged(a=1), retrieved("x", "a")

    assert value(name, sample, output) == value(after, sample, output)


def test_the_ranking_before_is_part_of_what_a_metric_can_read() -> None:
    one = reranked("a", before=("a", "b"))

    assert output_hash(one) != output_hash(reranked("a", before=("b", "a")))
    assert output_hash(one) != output_hash(retrieved("a"))
