"""Questions that failed: with too many of them nothing passes."""

from __future__ import annotations

import pytest

from ragate.core.comparison.compare import compare
from ragate.core.publishable import WITHHELD, publishable
from ragate.models import Failure, Rule, Run, Verdict
from tests.factories import report_factory
from tests.unit.core.decision_factories import judge, run_of, samples_of

N = 40
SAMPLES = samples_of(N)
RULE = Rule(metric="faithfulness", max_drop=0.5)


def failing(count: int, *, passes: int = 1, words: str = "same", kind: str = "system") -> Run:
    failures = {
        sample.id: Failure.model_validate({"kind": kind, "message": f"error {row % 2}"})
        for row, sample in enumerate(SAMPLES[:count])
    }
    cells = [[0.0] * passes] * count + [[1.0] * passes] * (N - count)
    return run_of({"faithfulness": cells}, SAMPLES, failures=failures, words=words)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (0, 2, Verdict.PASSED),  # 5 % may
        (0, 3, Verdict.NO_DECISION),
        (4, 4, Verdict.PASSED),
        (4, 5, Verdict.NO_DECISION),
    ],
)
def test_more_than_the_baseline_and_more_than_one_in_twenty_is_no_pass(
    before: int, after: int, verdict: Verdict
):
    pair = compare(failing(before, passes=3), failing(after, words="after"), SAMPLES)

    assert judge(pair, RULE).verdict is verdict


def test_the_first_reason_counts_all_questions_and_names_the_most_frequent_error():
    pair = compare(failing(0, passes=3), failing(9, words="after"), SAMPLES)
    said = "9 of 40 questions failed: error 0 (and 1 other error)"

    undecided, red = (judge(pair, RULE.amended(max_drop=drop)) for drop in (0.5, 0.01))

    assert (undecided.verdict, undecided.failed, undecided.reasons) == (
        Verdict.NO_DECISION,
        said,
        (said,),
    )
    assert (red.verdict, red.reasons[0]) == (Verdict.FAILED, said)


@pytest.mark.parametrize(("publish", "told"), [("answers", "error 0"), ("ids", WITHHELD)])
def test_what_failed_them_stays_at_home_where_messages_do(publish: str, told: str):
    pair = compare(failing(0, passes=3), failing(9, words="after"), SAMPLES)
    report = report_factory(decision=judge(pair, RULE), publish=publish)

    decision = publishable(report).decision
    for sentence in (decision.failed, decision.reasons[0]):
        assert sentence.startswith(f"9 of 40 questions failed: {told}")
