"""When a known answer is failed, and what that voids: exact chances, and whom a failure reaches."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from benchmarks.canary_table import chance_of_failing
from ragate.core.judging.canary_rule import (
    DRESSES,
    CanaryResult,
    is_settled,
    power,
    voided,
)

CRITERIA = ("faithfulness", "relevancy")
MOST_VERDICTS = 400  # more than any judge is asked for: `test_canaries.py` counts them


def failure(criterion: str, *, injected: bool = False, canary: str = "made up") -> CanaryResult:
    return CanaryResult(canary, criterion, injected, passed=False, tries=4, reason="it is 1")


def hard(*passed: bool) -> list[CanaryResult]:
    """Return results of hard known answers under the criterion relevancy."""
    return [
        CanaryResult(f"hard {number}", "relevancy", False, passed=right, tries=1, hard=True)
        for number, right in enumerate(passed, start=1)
    ]


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
    assert ": made up: it is 1" in void.reason("relevancy")
    assert void.reason("faithfulness") == ""


def test_a_text_that_gets_its_verdict_voids_all_criteria() -> None:
    results = [failure("relevancy", injected=True, canary=name) for name in ("base64", "pressure")]

    void = voided(results, CRITERIA)

    assert "(base64 and 1 more)" in void.reason("faithfulness")


def test_a_criterion_that_is_wrong_anyway_shows_nothing_of_obedience() -> None:
    void = voided([failure("relevancy"), failure("relevancy", injected=True)], CRITERIA)

    assert void.judge == ""
    assert set(void.criteria) == {"relevancy"}


@pytest.mark.parametrize(("caught", "is_void"), [(6, False), (4, False), (3, True), (0, True)])
def test_half_of_the_hard_answers_wrong_void_the_criterion(caught: int, is_void: bool) -> None:
    results = hard(*[number < caught for number in range(6)])

    void = voided(results, CRITERIA)

    assert bool(void.reason("relevancy")) == is_void
    assert f"catches {caught} of 6 kinds of errors" in power(results)
    assert void.reason("faithfulness") == ""


def test_a_kind_is_caught_where_it_is_under_every_criterion_that_it_was_asked_for() -> None:
    (first, second) = hard(True, True)
    elsewhere = replace(first, criterion="faithfulness", passed=False)

    assert power([first, second, elsewhere]) == "catches 1 of 2 kinds of errors (missed: hard 1)"
    assert power([]) == power([failure("relevancy")]) == ""


@pytest.mark.parametrize(("wrong", "is_void"), [(8, False), (9, True)])
def test_more_wrong_first_judgements_than_chance_gives_void_the_criterion(
    wrong: int, is_void: bool
) -> None:
    """By SciPy's binomial distribution: 9 or more of 32 at 5 % have a chance of 0.00002."""
    results = [
        CanaryResult(
            f"text {number}", "relevancy", True, passed=True, tries=1 + 2 * (number < wrong)
        )
        for number in range(32)
    ]

    assert ("9 of 32" in voided(results, CRITERIA).reason("relevancy")) == is_void


def test_nothing_failed_voids_nothing() -> None:
    passed = CanaryResult("right", "relevancy", injected=False, passed=True, tries=1)

    assert not voided([passed], CRITERIA)


def test_a_criterion_that_was_asked_for_another_ones_sake_is_not_named() -> None:
    assert not voided([failure("correctness")], CRITERIA)


def test_a_judge_that_fails_under_every_criterion_is_not_believed_where_no_canary_knows() -> None:
    void = voided([failure("relevancy")], ("criterion.tone",), ("criterion.tone",))

    assert "relevancy" in void.reason("criterion.tone")
    assert "made up: it is 1" in void.reason("criterion.tone")


def test_a_judge_that_is_right_under_one_criterion_is_believed_where_no_canary_knows() -> None:
    right = CanaryResult("right", "faithfulness", injected=False, passed=True, tries=1)

    void = voided([failure("relevancy"), right], (*CRITERIA, "criterion.tone"), ("criterion.tone",))

    assert set(void.criteria) == {"relevancy"}


def test_a_criterion_that_no_canary_knows_is_believed_of_a_judge_that_fails_nothing() -> None:
    right = CanaryResult("right", "relevancy", injected=False, passed=True, tries=1)

    assert not voided([right], ("criterion.tone",), ("criterion.tone",))
    assert not voided([], ("guideline",), ("guideline",))
