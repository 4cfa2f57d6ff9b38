"""What a report says of repeating."""

from __future__ import annotations

import numpy as np

from ragate.core.comparison.compare import compare
from ragate.models import Failure, Reads, Rule, Verdict
from tests.unit.core.comparison.repeating_factories import BOTH, NUMBERS, declared, pair_of
from tests.unit.core.decision_factories import judge, noisy_pair, samples_of

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


def test_changed_samples_with_too_few_passes_are_said_to_be_taken_at_the_policys_word():
    once = declared(pair_of([1.0] * 16, [0.0] + [1.0] * 15, passes=1))
    thrice = declared(pair_of([1.0] * 16, [0.0] + [1.0] * 15))

    assert once.verdict is Verdict.FAILED
    assert any("ran fewer than 3 times (q0000)" in said for said in once.warnings)
    assert not any("ran fewer" in said for said in thrice.warnings)


def test_the_key_is_not_named_where_it_would_change_nothing():
    noisy = pair_of([1.0] * 16, [1.0] * 16, repeats=(), shaky={2: [1.0, 0.0, 1.0]})
    assert not any("[policy] repeats" in said for said in judge(noisy, NUMBERS).warnings)
    same = pair_of([1.0] * 16, [1.0] * 16)
    assert not any("[policy] repeats" in said for said in declared(same).warnings)


def test_passes_that_all_differ_are_not_said_to_repeat():
    decision = judge(noisy_pair(np.ones((40, 3)), np.ones((40, 1))), RULE)

    assert not any("byte-equal" in one for one in decision.warnings)
