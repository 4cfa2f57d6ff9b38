"""Judged metrics, and the identity of a verdict."""

from __future__ import annotations

from typing import Any

import pytest

from ragate import plugins
from ragate.core.judging.criteria import ALL_CRITERIA
from ragate.errors import ConfigError
from ragate.models import Reads, ScoreState
from tests.unit.judges.judge_factories import TWO, asked


def metric(name: str, **settings: Any) -> Any:
    return plugins.metric(name, settings=settings)


@pytest.mark.parametrize("name", sorted(ALL_CRITERIA))
def test_a_judged_metric_names_what_is_asked_and_scores_nothing_itself(name: str) -> None:
    made = metric(name)

    scores = made.score_samples([(asked(), TWO)] * 2)

    assert made.criterion == made.info.name == name
    assert made.info.reads is Reads.ANSWER
    assert made.state == {}
    assert [score.state for score in scores] == [ScoreState.UNSCORED] * 2
    assert scores[0].reason == "a judge gives these scores"


def test_a_judged_metric_takes_no_cut_off_and_no_keys() -> None:
    with pytest.raises(ConfigError, match="no cut-off"):
        metric("faithfulness@5")
    with pytest.raises(ConfigError, match="unknown key 'strict'"):
        metric("faithfulness", strict=True)


def test_metrics_have_fingerprints_of_their_own() -> None:
    assert len({metric(name).info.fingerprint for name in ALL_CRITERIA}) == len(ALL_CRITERIA)


def test_correctness_is_a_grade() -> None:
    info = metric("correctness").info

    assert (info.low, info.high, info.unit) == (1.0, 5.0, "grade")
