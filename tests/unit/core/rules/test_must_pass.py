"""Must-pass samples: who is asked, marks met exactly, and the false-red rate that is printed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragate.core.comparison.compare import compare
from ragate.models import Decision, Direction, MetricInfo, Needs, Rule
from tests.unit.core.decision_factories import NOISY, judge, run_of, samples_of

RULE = Rule(metric="faithfulness", pass_at=0.75)
OTHER = MetricInfo(name="correctness", needs=Needs.JUDGE)


def decided(
    before: Sequence[Sequence[float | None]],
    after: Sequence[Sequence[float | None]],
    *rules: Rule,
    info: MetricInfo = NOISY,
) -> Decision:
    """Decide on must-pass samples, of which another metric is measured as well."""
    samples = samples_of(len(before), must_pass=True)
    infos = (info, OTHER)
    fine = {"correctness": [[1.0] * len(before[0])] * len(before)}
    now = {"correctness": [[1.0] * len(after[0])] * len(before)}
    pair = compare(
        run_of({"faithfulness": before, **fine}, samples, infos=infos, words="before"),
        run_of({"faithfulness": after, **now}, samples, infos=infos, words="after"),
        samples,
    )
    return judge(pair, *rules)


def false_red(f: float) -> float:
    return 3 * f * f * (1 - f) + f**3


def test_only_gated_metrics_with_a_pass_mark_are_asked():
    rules = (
        RULE.model_copy(update={"level": "warn"}),
        Rule(metric="correctness"),
        Rule(metric="p95", pass_at=0.5),
    )
    steady = [[1.0] * 3] * 20

    assert decided(steady, [[0.0] * 3] * 20, *rules).must_pass == ()
    assert len(decided(steady, steady, RULE, Rule(metric="correctness")).must_pass) == 20


@pytest.mark.parametrize(
    ("direction", "at", "beyond"), [(Direction.HIGHER, 0.75, 0.74), (Direction.LOWER, 0.75, 0.76)]
)
def test_a_mark_that_is_met_exactly_is_met(direction, at, beyond):
    info = NOISY.model_copy(update={"direction": direction})
    rows = decided([[at] * 3] * 10, [[at] * 3, *[[beyond] * 3] * 9], RULE, info=info).must_pass

    assert [row.met for row in rows] == [True] + [False] * 9
    assert all(row.eligible for row in rows)
    assert rows[0].false_red == pytest.approx(false_red(0.5 / 31))  # none of 30 tries failed


def test_two_baseline_runs_give_a_false_red_rate():
    before: Sequence[Sequence[float | None]] = [[1.0, 0.0], *[[1.0, 1.0]] * 9]
    row = decided(before, [[1.0]] * 10, RULE).must_pass[1]

    assert row.false_red == pytest.approx(false_red(1.5 / 20))


@pytest.mark.parametrize(("direction", "good"), [(Direction.HIGHER, 1.0), (Direction.LOWER, 0.0)])
def test_a_try_that_was_not_scored_neither_failed_nor_passed(direction, good):
    info = NOISY.model_copy(update={"direction": direction})
    before: Sequence[Sequence[float | None]] = [[good, None, good], *[[good] * 3] * 9]
    row = decided(before, [[good]] * 10, RULE, info=info).must_pass[1]

    assert row.false_red == pytest.approx(false_red(0.5 / 28))  # 27 tries of nine samples


@pytest.mark.parametrize(
    ("tries", "code"),
    [
        ([0.0, 0.0, None], 1),
        ([0.0, None, None], 3),
        ([1.0, 1.0, None], 0),
        ([1.0, 0.0, None], 3),
    ],
)
def test_what_was_not_scored_neither_fails_nor_saves_a_sample(tries, code):
    steady: Sequence[Sequence[float | None]] = [[1.0] * 3] * 40
    now: Sequence[Sequence[float | None]] = [tries, *[[1.0] * 3] * 39]

    assert decided(steady, now, RULE, Rule(metric="correctness")).exit_code == code
