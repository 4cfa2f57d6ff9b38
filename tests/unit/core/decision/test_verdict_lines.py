"""The lines under a verdict."""

from __future__ import annotations

import numpy as np

from ragate.core.comparison.compare import compare
from ragate.models import Rule, Verdict, unscored
from tests.unit.core.decision_factories import (
    EXACT,
    compared,
    exact_pair,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)

RULE = Rule(metric="faithfulness")


NDCG = Rule(metric="ndcg@10")


def test_the_command_that_tells_what_would_settle_it_is_named_where_it_helps_alone():
    blind = noisy_pair(np.ones((20, 3)), np.ones((20, 1)))
    sure = noisy_pair(np.ones((100, 3)), np.ones((100, 1)))

    assert judge(blind, RULE).remedies == ("ragate power",)
    assert judge(blind, Rule(metric="faithfulness", minimum=0.5)).remedies == ("ragate power",)
    assert judge(sure, RULE).remedies == ()
    assert judge(blind, Rule(metric="faithfulness", level="warn")).remedies == ()
    failed = judge(blind, Rule(metric="faithfulness", maximum=0.5))
    assert (failed.verdict, failed.remedies) == (Verdict.FAILED, ())


def test_the_two_most_frequent_reasons_are_named():
    samples = samples_of(9)
    baseline = run_of({"faithfulness": [[1.0]] * 9}, samples)
    candidate = run_of({"faithfulness": [[1.0]] * 9}, samples, words="after")
    reasons = ["timeout"] * 4 + ["refused"] * 3 + ["cut off"] * 2
    records = tuple(
        record.amended(scores={"faithfulness": unscored("faithfulness", why)})
        for record, why in zip(candidate.records, reasons, strict=True)
    )
    lost = candidate.amended(records=records)
    (reason, *_) = judge(compare(baseline, lost, samples), RULE).reasons

    assert reason.endswith("timeout (4), refused (3) and 1 more")
    assert row_of(judge(compare(baseline, lost, samples), RULE), "faithfulness").n == 0


def test_as_many_samples_as_must_break_can_be_decided():
    enough = judge(noisy_pair(np.ones((5, 3)), np.ones((5, 1))), RULE)
    few = judge(noisy_pair(np.ones((4, 3)), np.ones((4, 1))), RULE)

    assert (enough.verdict, few.verdict) == (Verdict.PASSED, Verdict.NO_DECISION)


def test_what_was_not_measured_is_not_said_to_be_free_of_noise():
    said = "no gated metric is noisy: every change is seen"
    exact = exact_pair([1.0] * 20, [1.0] * 20)
    other = Rule(metric="faithfulness")

    assert judge(exact, Rule(metric=EXACT.name)).lines == (said,)
    assert judge(exact, Rule(metric=EXACT.name), other).lines == ()
    samples = samples_of(4)
    lost = compare(
        run_of({EXACT.name: [[1.0, 1.0]] * 4}, samples, same_outputs=True),
        run_of({EXACT.name: [[None]] * 4}, samples, words="after"),
        samples,
    )
    assert judge(lost, Rule(metric=EXACT.name)).lines == ()


def test_a_red_verdict_also_lists_what_was_not_measured():
    decision = judge(exact_pair([1.0] * 9, [0.0] * 9), NDCG, Rule(metric="faithfulness"))

    assert decision.exit_code == 1
    assert decision.reasons[-1] == "faithfulness was not measured"


def test_what_noise_hides_is_said_of_the_noisy_metrics_alone():
    samples = samples_of(15)
    scores = {"faithfulness": [[1.0] * 3] * 15, EXACT.name: [[1.0] * 3] * 15}
    pair = compared(scores, scores, samples)

    decision = judge(pair, RULE, Rule(metric=EXACT.name))

    assert decision.lines[0].endswith(f"; every drop of {EXACT.name} shows")
    assert any("must get worse before faithfulness can fail" in said for said in decision.warnings)
