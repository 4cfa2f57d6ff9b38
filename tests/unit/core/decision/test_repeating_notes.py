"""What a report says of repeating, and what is asked again."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.decision.verdict_lines import unrepeated_note
from ragate.models import MetricVerdict, Rule, Verdict
from tests.unit.core.comparison.repeating_factories import NUMBERS, declared, pair_of
from tests.unit.core.decision_factories import judge, noisy_pair, row_of

RULE = Rule(metric="faithfulness")


def test_where_many_samples_vary_all_are_tested_as_noisy():
    shaky = {row: [1.0, 0.0, 1.0] for row in range(80)}

    assert not pair_of([1.0] * 300, [1.0] * 300, shaky=shaky).columns["number_recall"].exact


@pytest.mark.parametrize(("passes", "red"), [(1, False), (4, False), (5, True)])
def test_a_lone_loss_is_asked_again_until_it_is_proven(passes: int, red: bool):
    decision = declared(pair_of([1.0] * 30, [0.0] + [1.0] * 29, passes=passes))
    row = row_of(decision, "number_recall")

    assert (decision.verdict is Verdict.FAILED) is red
    assert decision.wants_again == (() if red else ("q0000",))
    assert row.provisional is not red
    assert row.verdict is (MetricVerdict.REGRESSED if red else MetricVerdict.WORSE_HERE)


def test_many_losses_need_three_passes_and_stand_out_from_random_signs():
    before, after = [1.0] * 30, [0.0] * 6 + [1.0] * 24

    assert len(declared(pair_of(before, after, passes=1)).wants_again) == 6
    assert declared(pair_of(before, after, passes=3)).verdict is Verdict.FAILED


def test_what_would_not_be_red_is_not_asked_again():
    even = [0.0, 0.0, 0.6, 0.4, 0.6, 0.4, *[0.5] * 24]

    assert declared(pair_of([0.5] * 30, even, passes=1)).wants_again == ()


def test_on_few_questions_every_loss_stands_out_from_random_signs():
    before = [1.0] * 16

    assert declared(pair_of(before, [0.0] * 4 + [1.0] * 12)).verdict is Verdict.PASSED
    assert declared(pair_of(before, [0.0] * 6 + [1.0] * 10)).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        ({}, MetricVerdict.HELD),  # of nine changes luck, and no large loss
        ({"max_drop": 0.0001}, MetricVerdict.WORSE_HERE),  # beyond one of one's own
    ],
)
def test_a_loss_that_may_be_luck_is_looked_at_by_its_limit(limits, verdict):
    gain = (0.5 * 5 - 0.7) / 4  # the mean of 100 falls by .007: more than half a question
    after = [0.0] * 5 + [0.5 + gain] * 4 + [0.5] * 91
    decision = declared(pair_of([0.5] * 100, after), NUMBERS.amended(**limits))

    assert row_of(decision, "number_recall").verdict is verdict


def test_passes_that_all_differ_are_not_said_to_repeat():
    decision = judge(noisy_pair(np.ones((40, 3)), np.ones((40, 1))), RULE)

    assert not any("identical" in one for one in decision.warnings)


# What did not repeat in the baseline.


def test_the_questions_that_did_not_repeat_in_the_baseline_are_named():
    pair = pair_of([1.0] * 300, [1.0] * 300, shaky={row: [1.0, 0.0, 1.0] for row in (3, 7)})
    told = "did not repeat in the baseline's 3 runs: the retrieval of 2 of 300 (q0003, q0007)"

    assert unrepeated_note(pair) == told
    assert told in judge(pair, Rule(metric="number_recall")).lines


def test_a_handful_is_named_and_the_rest_is_counted():
    pair = pair_of([1.0] * 40, [1.0] * 40, shaky={row: [1.0, 0.0, 1.0] for row in range(30)})

    assert unrepeated_note(pair).endswith(
        "the retrieval of 30 of 40 (q0000, q0001, q0002, q0003, q0004 and 25 more)"
    )
    # None of them is an exception in a system that does not repeat.
    assert not any("did not repeat" in line for line in judge(pair, RULE).lines)


def test_nothing_is_said_where_all_repeat():
    assert unrepeated_note(pair_of([1.0] * 30, [1.0] * 30)) == ""
