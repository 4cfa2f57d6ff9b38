"""A criterion of a configuration: whose judgements are its own, and which grades it has."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from ragate.core.judging.own_criterion import OwnCriterion, identity, is_own, shown_name

TONE = "criterion.tone"
ASK = "Is the answer polite?"


def test_another_wording_or_scale_is_another_criterion_of_the_same_shown_name() -> None:
    asked = [
        OwnCriterion(ask=ASK),
        OwnCriterion(ask=f"{ASK} Be strict."),
        OwnCriterion(ask=ASK, scale=(1, 5)),
        OwnCriterion(ask=ASK, grounded=True),
    ]

    identities = [identity(TONE, one) for one in asked]

    assert len(set(identities)) == len(asked)
    assert identity(TONE, OwnCriterion(ask=ASK)) == identities[0]
    assert {shown_name(one) for one in identities} == {TONE}


@pytest.mark.parametrize("grade", [0, 6, 2.5, float("nan"), float("inf")])
def test_a_grade_off_the_scale_or_between_two_is_none(grade: float) -> None:
    own = OwnCriterion(ask=ASK, scale=(1, 5))

    assert not own.holds(grade)
    assert own.holds(1)
    assert own.holds(5.0)


def test_what_usually_passes_is_three_quarters_up_the_scale() -> None:
    assert OwnCriterion(ask=ASK).usual_mark == 0.5
    assert OwnCriterion(ask=ASK, scale=(1, 5)).usual_mark == 4


@pytest.mark.parametrize("scale", [(1, 1), (5, 1), (-1, 3), (0, 101)])
def test_a_scale_goes_from_a_lower_to_a_higher_number(scale: tuple[int, int]) -> None:
    with pytest.raises(ValidationError, match="scale goes from"):
        OwnCriterion(ask=ASK, scale=scale)


def test_a_name_may_not_end_like_a_column_of_another_metric() -> None:
    assert is_own(TONE)
    assert not any(map(is_own, ("criterion.pass", "criterion.checked", "criterion.Tone", "tone")))
