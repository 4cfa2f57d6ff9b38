from __future__ import annotations

import pytest

from ragate.core.decision.scorecard import (
    read_stages,
    sample_scores,
    stopped_stages,
    waiting_stages,
)
from ragate.models import Score, Scorecard, ScoreState
from tests.unit.core.scorecard.card_factories import INFOS, card, scores, stage


def made(of: Scorecard, found: dict[str, Score]) -> tuple[Score, Score]:
    overall, passed = sample_scores(of, INFOS, read_stages(of, INFOS, found))
    return overall, passed


def test_a_sample_that_reaches_every_mark_passes_with_the_weighted_mean():
    of = card(stage("recall@5", 3.0), stage("token_f1", 1.0))

    overall, passed = made(of, scores(recall_at_5=1.0, token_f1=0.6))

    assert overall.value == pytest.approx(0.9)
    assert passed.value == 1.0


def test_one_stage_below_its_mark_fails_the_sample_and_is_named():
    of = card(stage("recall@5"), stage("token_f1"))

    _, passed = made(of, scores(recall_at_5=1.0, token_f1=0.4))

    assert (passed.value, passed.reason) == (0.0, "failed: token_f1")


def test_the_mark_itself_passes():
    assert made(card(stage("token_f1", pass_at=0.3)), scores(token_f1=0.1 + 0.2))[1].value == 1.0


def test_a_stage_without_a_mark_counts_and_cannot_fail():
    of = card(stage("recall@5", pass_at=None))

    overall, passed = made(of, scores(recall_at_5=0.0))

    assert (overall.value, passed.value) == (0.0, 1.0)


def test_grades_and_metrics_where_lower_is_better_count_from_worst_to_best():
    of = card(stage("correctness", pass_at=4.0), stage("false_refusal", pass_at=0.0))

    overall, passed = made(of, scores(correctness=4.0, false_refusal=1.0))

    assert overall.value == pytest.approx((0.75 + 0.0) / 2)
    assert passed.reason == "failed: false_refusal"


def test_after_a_failed_required_stage_every_later_one_is_at_its_worst():
    of = card(stage("recall@5", required=True), stage("token_f1"), stage("correctness"))

    stages = read_stages(of, INFOS, scores(recall_at_5=0.2, token_f1=1.0, correctness=5.0))

    assert [each.score.value for each in stages] == [0.2, 0.0, 1.0]
    assert [each.stopped for each in stages] == [False, True, True]
    assert stages[1].score.reason == "counts at its worst: the required stage recall@5 failed"


def test_a_later_stage_that_was_not_measured_is_at_its_worst_and_not_unscored():
    of = card(stage("recall@5", required=True), stage("faithfulness"))

    overall, passed = made(of, scores(recall_at_5=0.0, faithfulness=None))

    assert (overall.value, passed.value) == (0.0, 0.0)
    assert passed.reason == "failed: recall@5"


def test_a_later_stage_that_does_not_apply_stays_out():
    of = card(stage("recall@5", required=True), stage("faithfulness"))

    stages = read_stages(of, INFOS, scores(recall_at_5=0.0, faithfulness="unanswerable"))

    assert stages[1].score.state is ScoreState.NOT_APPLICABLE


def test_a_required_stage_without_a_value_stops_nothing():
    of = card(stage("recall@5", required=True), stage("token_f1"))

    stages = read_stages(of, INFOS, scores(recall_at_5=None, token_f1=0.7))

    assert stages[1].score.value == 0.7


def test_what_was_not_measured_leaves_score_and_pass_open():
    of = card(stage("recall@5"), stage("faithfulness"))

    overall, passed = made(of, scores(recall_at_5=1.0, faithfulness=None))

    assert overall.state is passed.state is ScoreState.UNSCORED
    assert passed.reason == "faithfulness: judge: timeout"


def test_a_metric_without_any_record_is_not_measured():
    assert made(card(stage("recall@5")), {})[1].state is ScoreState.UNSCORED


def test_a_sample_that_failed_elsewhere_fails_whatever_was_not_measured():
    of = card(stage("recall@5"), stage("faithfulness"))

    overall, passed = made(of, scores(recall_at_5=0.0, faithfulness=None))

    assert overall.state is ScoreState.UNSCORED
    assert passed.value == 0.0


def test_a_stage_that_does_not_apply_is_weighed_out():
    of = card(stage("recall@5", 9.0), stage("token_f1", 1.0))

    overall, passed = made(of, scores(recall_at_5="no relevant documents", token_f1=0.6))

    assert (overall.value, passed.value) == (0.6, 1.0)


def test_where_no_stage_applies_neither_does_the_scorecard():
    overall, passed = made(card(stage("recall@5")), scores(recall_at_5="no label"))

    assert overall.state is passed.state is ScoreState.NOT_APPLICABLE


def test_an_overall_score_below_its_own_mark_fails_the_sample():
    of = card(stage("recall@5"), stage("token_f1"), pass_at=0.8)

    assert made(of, scores(recall_at_5=1.0, token_f1=0.5))[1].reason == (
        "the overall score 0.75 is below 0.8"
    )
    assert made(of, scores(recall_at_5=1.0, token_f1=0.6))[1].value == 1.0


def test_an_open_overall_score_leaves_pass_open_where_it_has_a_mark():
    of = card(stage("recall@5"), stage("rouge_l", pass_at=None), pass_at=0.8)

    assert made(of, scores(recall_at_5=1.0, rouge_l=None))[1].state is ScoreState.UNSCORED


def test_a_stage_without_weight_can_fail_a_sample_and_leaves_its_score():
    of = card(stage("recall@5", 0.0), stage("token_f1"))

    overall, passed = made(of, scores(recall_at_5=0.0, token_f1=0.8))

    assert (overall.value, passed.value) == (0.8, 0.0)


def test_where_only_stages_without_weight_apply_the_score_is_pass_or_fail():
    of = card(stage("recall@5", 0.0), stage("token_f1"))

    assert made(of, scores(recall_at_5=1.0, token_f1="no reference"))[0].value == 1.0
    assert made(of, scores(recall_at_5=0.0, token_f1="no reference"))[0].value == 0.0


CARD = card(
    stage("recall@5"),
    stage("token_f1", required=True),
    stage("faithfulness", required=True),
    stage("rouge_l"),
)


def test_what_comes_after_a_failed_required_stage_is_stopped() -> None:
    found = scores(recall_at_5=0.0, token_f1=0.1)

    assert stopped_stages(CARD, INFOS, found) == {"faithfulness", "rouge_l"}


def test_a_failed_stage_that_is_not_required_stops_nothing() -> None:
    assert stopped_stages(CARD, INFOS, scores(recall_at_5=0.0, token_f1=1.0)) == frozenset()


def test_what_has_no_value_yet_stops_nothing() -> None:
    assert stopped_stages(CARD, INFOS, scores(token_f1=None)) == frozenset()
    assert stopped_stages(CARD, INFOS, scores(token_f1="no reference")) == frozenset()
    assert stopped_stages(CARD, INFOS, {}) == frozenset()


def test_later_stages_wait_for_the_first_required_one_without_a_score() -> None:
    assert waiting_stages(CARD, {}) == {"faithfulness", "rouge_l"}
    assert waiting_stages(CARD, scores(token_f1=1.0)) == {"rouge_l"}
    assert waiting_stages(CARD, scores(token_f1=1.0, faithfulness=None)) == frozenset()


def test_a_stage_with_a_row_of_its_own_is_neither_stopped_nor_waits() -> None:
    first, *later = CARD.stages
    held = card(first, *(each.amended(own_row=True) for each in later))

    assert stopped_stages(held, INFOS, scores(recall_at_5=0.0, token_f1=0.0)) == frozenset()
    assert waiting_stages(held, {}) == frozenset()
