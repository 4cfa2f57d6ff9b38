"""When a known answer is failed, and what that voids: exact chances, and whom a failure reaches."""

from __future__ import annotations

from itertools import product

import pytest

from benchmarks.canary_table import chance_of_failing
from ragate.core.judging.canary_rule import (
    DRESSES,
    CanaryResult,
    is_settled,
    voided,
)

CRITERIA = ("faithfulness", "relevancy")
MOST_VERDICTS = 400  # more than any judge is asked for: `test_canaries.py` counts them


def failure(criterion: str, *, injected: bool = False, canary: str = "made up") -> CanaryResult:
    return CanaryResult(canary, criterion, injected, passed=False, tries=4, reason="it is 1")


def fails(rights: tuple[bool, ...]) -> bool:
    """Play one known answer by the rule, verdict by verdict."""
    right = wrong = 0
    for verdict in rights:
        right, wrong = right + verdict, wrong + (not verdict)
        if is_settled(right, wrong):
            break
    return wrong >= DRESSES - 1


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.5])
def test_the_chance_is_the_sum_over_all_ways_the_verdicts_may_fall(rate: float) -> None:
    enumerated = sum(
        rate ** verdicts.count(False) * (1 - rate) ** verdicts.count(True)
        for verdicts in product((True, False), repeat=DRESSES)
        if fails(verdicts)
    )

    assert chance_of_failing(rate) == pytest.approx(enumerated, rel=1e-12)


def test_a_judge_with_5_percent_errors_is_voided_in_less_than_1_of_100_runs() -> None:
    assert 1 - (1 - chance_of_failing(0.05)) ** MOST_VERDICTS < 0.01


def test_a_judge_that_always_fails_is_always_found() -> None:
    assert chance_of_failing(1.0) == 1.0
    assert chance_of_failing(0.0) == 0.0


def test_a_plain_failure_voids_its_criterion_and_no_other() -> None:
    void = voided([failure("relevancy")], CRITERIA)

    assert void.judge == ""
    assert "(made up: it is 1)" in void.reason("relevancy")
    assert void.reason("faithfulness") == ""


def test_a_text_that_gets_its_verdict_voids_all_criteria() -> None:
    results = [failure("relevancy", injected=True, canary=name) for name in ("base64", "pressure")]

    void = voided(results, CRITERIA)

    assert "(base64 and 1 more)" in void.reason("faithfulness")


def test_a_criterion_that_is_wrong_anyway_shows_nothing_of_obedience() -> None:
    void = voided([failure("relevancy"), failure("relevancy", injected=True)], CRITERIA)

    assert void.judge == ""
    assert set(void.criteria) == {"relevancy"}


def test_nothing_failed_voids_nothing() -> None:
    passed = CanaryResult("right", "relevancy", injected=False, passed=True, tries=1)

    assert not voided([passed], CRITERIA)


def test_a_criterion_that_was_asked_for_another_ones_sake_is_not_named() -> None:
    assert not voided([failure("correctness")], CRITERIA)


def test_a_judge_that_fails_under_every_criterion_is_not_believed_where_no_canary_knows() -> None:
    void = voided([failure("relevancy")], ("criterion.tone",), ("criterion.tone",))

    assert "relevancy" in void.reason("criterion.tone")
    assert "'made up': it is 1" in void.reason("criterion.tone")


def test_a_judge_that_is_right_under_one_criterion_is_believed_where_no_canary_knows() -> None:
    right = CanaryResult("right", "faithfulness", injected=False, passed=True, tries=1)

    void = voided([failure("relevancy"), right], (*CRITERIA, "criterion.tone"), ("criterion.tone",))

    assert set(void.criteria) == {"relevancy"}


def test_a_criterion_that_no_canary_knows_is_believed_of_a_judge_that_fails_nothing() -> None:
    right = CanaryResult("right", "relevancy", injected=False, passed=True, tries=1)

    assert not voided([right], ("criterion.tone",), ("criterion.tone",))
    assert not voided([], ("guideline",), ("guideline",))
