"""What a report says of repeating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ragate.core.comparison.compare import Comparison, compare
from ragate.models import Failure, MetricVerdict, Reads, Rule, Verdict
from tests.unit.core.comparison.repeating_factories import BOTH, NUMBERS, declared, pair_of
from tests.unit.core.decision_factories import judge, noisy_pair, row_of, samples_of

RULE = Rule(metric="faithfulness")


def test_a_declaration_that_the_baseline_contradicts_is_not_kept():
    shaky = {row: [1.0, 0.0, 1.0] for row in range(80)}
    comparison = pair_of([1.0] * 300, [1.0] * 300, shaky=shaky)

    assert not comparison.columns["number_recall"].exact
    assert any("so many that every sample is tested" in w for w in declared(comparison).warnings)


def test_a_pass_that_a_provider_failed_is_no_variation():
    comparison = pair_of([1.0] * 40, [1.0] * 40)
    failed = comparison.candidate_run.records[3]
    lost = failed.output.amended(error=Failure(kind="provider", message="429"))
    records = [
        record.amended(output_hash="failed", output=lost) if record is failed else record
        for record in comparison.candidate_run.records
    ]
    candidate = comparison.candidate_run.amended(records=tuple(records))
    again = compare(comparison.baseline_run, candidate, samples_of(40), repeats=BOTH)

    assert not again.repetition.by_part[Reads.ANSWER].varies.any()


@pytest.mark.parametrize(
    ("n", "options", "said"),
    [
        (30, {"passes": 1}, "changed answers were not asked in 3 sessions"),
        (30, {"own_sessions": False}, "changed answers were not asked in 3 sessions"),
        (30, {"recorded": {"own_sessions": False}}, "the baseline does not hold 3 passes"),
        (19, {}, "fewer than 20 questions"),
    ],
)
def test_what_evidence_does_not_bear_out_is_provisional_and_a_lone_loss_yellow(
    n: int, options: dict[str, Any], said: str
):
    exact = declared(pair_of([1.0] * 30, [0.0] + [1.0] * 29))
    decision = declared(pair_of([1.0] * n, [0.0] + [1.0] * (n - 1), **options))
    four = declared(pair_of([1.0] * n, [0.0] * 4 + [1.0] * (n - 4), **options), claim="this-set")

    assert exact.verdict is Verdict.FAILED
    assert not any("provisional" in line for line in exact.warnings)
    assert decision.verdict is four.verdict is Verdict.PASSED
    assert row_of(decision, "number_recall").verdict is MetricVerdict.WORSE_HERE
    assert any("provisional" in line and said in line for line in decision.warnings)
    assert ("ragate baseline update" in decision.remedies) is ("baseline" in said)
    assert not any("every change is seen" in line for line in decision.lines)


def test_six_losses_of_thirty_are_red_once_they_are_confirmed():
    before, after = [1.0] * 30, [0.0] * 6 + [1.0] * 24
    doubted: dict[str, Any] = {"recorded": {"own_sessions": False}}

    first = declared(pair_of(before, after, passes=1, **doubted))
    assert row_of(first, "number_recall").verdict is MetricVerdict.WORSE_HERE
    assert declared(pair_of(before, after, **doubted)).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    ("lost", "won", "own_sessions", "limits", "verdict"),
    [
        (5, 4, True, {}, MetricVerdict.HELD),  # of nine changes luck, and no large loss
        (5, 4, True, {"min_drop": 0.007}, MetricVerdict.WORSE_HERE),  # a limit is inclusive
        (5, 4, True, {"max_drop": 0.0001}, MetricVerdict.WORSE_HERE),  # beyond one of one's own
        (5, 4, False, {}, MetricVerdict.HELD),
        (2, 2, False, {}, MetricVerdict.WORSE_HERE),  # few, of what would be red if it repeats
    ],
)
def test_a_loss_that_may_be_luck_is_looked_at_by_its_limit_or_where_few_changed(
    lost: int, won: int, own_sessions: bool, limits: dict[str, Any], verdict: MetricVerdict
):
    gain = (0.5 * lost - 0.7) / won  # the mean of 100 falls by .007: more than half a question
    after = [0.0] * lost + [0.5 + gain] * won + [0.5] * (100 - lost - won)
    comparison = pair_of([0.5] * 100, after, recorded={"own_sessions": own_sessions})

    decision = declared(comparison, NUMBERS.amended(**limits))

    assert row_of(decision, "number_recall").verdict is verdict


def partly_asked(after: Sequence[float], unproven: Sequence[int]) -> Comparison:
    """Compare with 30 answers of 0.7; those `unproven` were not asked again."""
    whole = pair_of([0.7] * 30, after)
    ids = {whole.ids[row] for row in unproven}
    records = [r for r in whole.candidate_run.records if r.run == 0 or r.sample_id not in ids]
    candidate = whole.candidate_run.amended(records=tuple(records))
    return compare(whole.baseline_run, candidate, samples_of(30), repeats=BOTH)


@pytest.mark.parametrize(
    ("proven", "unproven", "red", "provisional"),
    [
        ((0.0,), (0.0,), True, False),
        ((0.0,), (0.6,), True, False),
        ((0.0, 0.0), (1.0,), True, False),
        ((0.0,), (1.0,), False, True),  # a gain that may be real outweighs the loss
        ((), (0.0, 0.0), False, True),  # nothing proven is lost
        ((0.2,), (0.0,), False, True),  # what is proven is just allowed
        ((0.0,) * 3, (0.8, 0.8), False, False),  # of five changes the signs decide
        ((0.0,) * 4, (0.0,), True, False),  # and five losses of five are rare
        ((0.0,) * 5 + (0.9,), (0.6,), False, False),  # 1 in 51 is rare only where all is proven
        ((), (0.0,) * 5, False, True),  # not rare enough at first sight
    ],
)
def test_only_what_rests_on_unproven_answers_is_held_back(
    proven: tuple[float, ...], unproven: tuple[float, ...], red: bool, provisional: bool
):
    after = [*proven, *unproven, *[0.7] * (30 - len(proven) - len(unproven))]
    rows = range(len(proven), len(proven) + len(unproven))
    decision = declared(partly_asked(after, rows))

    assert (decision.verdict is Verdict.FAILED) is red
    assert row_of(decision, "number_recall").provisional is provisional
    said = f"q{rows[-1]:04}; of what rests on them only a loss that random signs"
    assert any("is provisional: changed answers" in w and said in w for w in decision.warnings)


def test_an_unproven_answer_that_scores_the_same_holds_nothing_back():
    whole = partly_asked([0.0, 0.7 + 1e-12, *[0.7] * 28], [1])

    assert not row_of(declared(whole), "number_recall").provisional


def test_the_key_is_not_named_where_it_would_change_nothing():
    noisy = pair_of([1.0] * 30, [1.0] * 30, repeats=(), shaky={2: [1.0, 0.0, 1.0]})
    assert not any("[policy] repeats" in said for said in judge(noisy, NUMBERS).warnings)
    same = pair_of([1.0] * 30, [1.0] * 30)
    assert not any("[policy] repeats" in said for said in declared(same).warnings)


def test_passes_that_all_differ_are_not_said_to_repeat():
    decision = judge(noisy_pair(np.ones((40, 3)), np.ones((40, 1))), RULE)

    assert not any("byte-equal" in one for one in decision.warnings)


def test_a_declaration_that_few_recordings_do_not_bear_out_is_said_not_to_count():
    comparison = pair_of([1.0] * 10, [0.0] + [1.0] * 9, recorded={"recorded": 3})
    candidate = comparison.candidate_run
    recorded = candidate.amended(manifest=candidate.manifest.amended(recorded=3))
    few = compare(comparison.baseline_run, recorded, samples_of(10), repeats=BOTH)

    assert not few.columns["number_recall"].exact
    said = "repeats does not count for the answer: recorded, and fewer than 20 questions"
    assert any(said in line for line in declared(few).warnings)


def test_a_recording_that_varies_today_says_that_all_is_tested_as_noisy():
    comparison = pair_of([1.0] * 30, [1.0] * 30, jitter={3: [1.0, 0.0, 1.0]})
    candidate = comparison.candidate_run
    recorded = candidate.amended(manifest=candidate.manifest.amended(recorded=3))
    varied = compare(comparison.baseline_run, recorded, samples_of(30), repeats=BOTH)

    said = "q0003; recorded, so every sample is tested as noisy"
    assert any(said in line for line in declared(varied).warnings)
