"""Judged metrics, and the identity of a verdict."""

from __future__ import annotations

from typing import Any

import pytest

from ragate import plugins
from ragate.core.judging.criteria import ALL_CRITERIA, CRITERIA, PAIRWISE
from ragate.errors import ConfigError
from ragate.judges import llamaindex, rubric
from ragate.models import Needs, Reads, ScoreState
from tests.unit.judges.judge_factories import TWO, asked


def metric(name: str, **settings: Any) -> Any:
    return plugins.metric(name, settings=settings)


def judged_names() -> set[str]:
    names = (name for name in plugins.names("metrics") if name not in CUT_OFFS)
    infos = [metric(name).info for name in names]
    return {one.name for one in infos if one.needs is Needs.JUDGE and not one.aggregate}


CUT_OFFS = {"hit_rate", "recall", "precision", "ndcg", "judged"}


CUT_OFFS |= {"first_stage_ndcg", "first_stage_recall"}


def test_every_criterion_has_a_metric_and_a_judge_that_knows_it() -> None:
    assert CRITERIA.keys() == rubric.CRITERIA
    assert judged_names() == ALL_CRITERIA.keys()
    assert ALL_CRITERIA.keys() | {PAIRWISE} == rubric.CRITERIA | llamaindex.CRITERIA
    assert metric(PAIRWISE).info.aggregate


@pytest.mark.parametrize("name", sorted(ALL_CRITERIA))
def test_a_judged_metric_names_what_is_asked_and_scores_nothing_itself(name: str) -> None:
    made = metric(name)

    scores = made.score_samples([(asked(), TWO)] * 2)

    assert made.criterion == made.info.name == name
    assert made.info.reads is Reads.ANSWER
    assert made.state == {}
    assert [score.state for score in scores] == [ScoreState.UNSCORED] * 2
    assert scores[0].reason == "a judge gives these scores"


def test_correctness_is_a_grade() -> None:
    info = metric("correctness").info

    assert (info.low, info.high, info.unit) == (1.0, 5.0, "grade")


def test_a_judged_metric_takes_no_cut_off_and_no_keys() -> None:
    with pytest.raises(ConfigError, match="no cut-off"):
        metric("faithfulness@5")
    with pytest.raises(ConfigError, match="unknown key 'strict'"):
        metric("faithfulness", strict=True)


def test_metrics_have_fingerprints_of_their_own() -> None:
    assert len({metric(name).info.fingerprint for name in ALL_CRITERIA}) == len(ALL_CRITERIA)
