"""Scores of the retriever against a threshold of the user's."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.models import RetrievedChunk, ScoreState, SystemOutput
from tests.unit.metrics.metric_factories import asked, make, score


def scored(*scores: float | None) -> SystemOutput:
    chunks = [RetrievedChunk(doc_id=f"d{n}", score=one) for n, one in enumerate(scores)]
    return SystemOutput(answer="x", chunks=tuple(chunks))


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        ("best", ""),
        ("mean", "the mean score is 0.5, below 0.7"),
        ("all", "the lowest score is 0.3, below 0.7"),
    ],
)
def test_the_score_that_is_asked_for_has_to_reach_the_threshold(of: str, reason: str) -> None:
    settings = {"threshold": 0.7, "of": of}

    found = score("min_retrieval_score", asked(), scored(0.7, 0.3), settings=settings)

    assert (found.value, found.reason) == (0.0 if reason else 1.0, reason)


def test_nothing_retrieved_is_too_little_and_no_score_is_unscored() -> None:
    settings = {"threshold": -5.0}

    assert score("min_retrieval_score", asked(), scored(), settings=settings).reason == (
        "nothing was retrieved"
    )
    found = score("min_retrieval_score", asked(), scored(9.0, None), settings=settings)
    assert (found.state, found.reason) == (
        ScoreState.UNSCORED,
        "the retrieved chunks carry no scores",
    )


def test_without_a_threshold_a_policy_cannot_name_it() -> None:
    made: Any = make("min_retrieval_score")

    assert "min_retrieval_score has no threshold" in made.unusable
    assert not make("min_retrieval_score", settings={"threshold": 0}).unusable


@pytest.mark.parametrize(
    "settings", [{"threshold": "high"}, {"threshold": float("nan")}, {"of": "worst"}]
)
def test_a_wrong_value_is_an_error(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        make("min_retrieval_score", settings=settings)
