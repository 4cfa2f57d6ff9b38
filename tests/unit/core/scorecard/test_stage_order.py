from __future__ import annotations

from ragate.core.scorecard.stage_order import stopped_stages, waiting_stages
from tests.unit.core.scorecard.card_factories import INFOS, card, scores, stage

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
