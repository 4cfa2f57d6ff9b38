"""Tokens and cost: red when a change is proven to take more than the rule allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragate.config import parse_config
from ragate.core.comparison.compare import compare
from ragate.core.rules.expense import increase
from ragate.errors import ConfigError
from ragate.models import Decision, Direction, MetricInfo, MetricVerdict, Reads, Rule, Verdict
from tests.unit.core.decision_factories import (
    N_A,
    columns,
    compared,
    judge,
    noisy_pair,
    run_of,
    samples_of,
)

BOTH = (Reads.RETRIEVAL, Reads.ANSWER)
TOKENS = MetricInfo(name="prompt_tokens", unit="tokens", high=None, direction=Direction.LOWER)
QUALITY = MetricInfo(name="token_f1")


def judged(base: Any, cand: Any, *, level: Any = "error", **rule: Any) -> Decision:
    """Decide on tokens, beside a quality metric that does not move."""
    before, after = columns(base), columns(cand)
    samples = samples_of(len(before))
    same = [[0.5] * len(before[0])] * len(before)
    infos = (TOKENS, QUALITY)
    comparison = compared(
        {"prompt_tokens": before, "token_f1": same},
        {"prompt_tokens": after, "token_f1": same},
        samples,
        infos=infos,
    )
    rules = [Rule(metric="prompt_tokens", level=level, **rule), Rule(metric="token_f1")]
    return judge(comparison, *rules)


def row(decision: Decision) -> Any:
    return next(row for row in decision.metrics if row.metric == "prompt_tokens")


@pytest.fixture
def tokens() -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.random.default_rng(3).integers(400, 900, size=(60, 1)).astype(float)


def test_a_third_more_where_a_tenth_is_allowed_is_red(tokens: Any):
    decision = judged(tokens, tokens * 1.33, max_increase=0.1)

    assert decision.verdict is Verdict.FAILED
    assert row(decision).verdict is MetricVerdict.REGRESSED
    assert row(decision).blocks
    assert "prompt_tokens: +33.0%; 10 % more is allowed" in decision.reasons[0]


def test_what_is_allowed_is_held(tokens: Any):
    decision = judged(tokens, tokens * 1.05, max_increase=0.1)

    assert row(decision).verdict is MetricVerdict.HELD
    assert decision.verdict is Verdict.PASSED


def test_one_long_answer_beyond_the_limit_is_no_proof(tokens: Any):
    after = tokens.copy()
    after[0] *= 15

    decision = judged(tokens, after, max_increase=0.1)

    assert row(decision).verdict is MetricVerdict.CANNOT_TELL
    assert decision.verdict is Verdict.PASSED
    assert "not proven by these 60" in row(decision).reason
    assert row(decision).reason in decision.warnings


def test_three_questions_prove_nothing_and_are_no_gate():
    decision = judged([[100.0]] * 3, [[200.0]] * 3, max_increase=0.1)

    assert row(decision).verdict is MetricVerdict.CANNOT_TELL
    assert any("not proven by these 3: so few prove nothing" in said for said in decision.reasons)


def test_less_is_an_improvement_and_the_same_is_unchanged(tokens: Any):
    assert row(judged(tokens, tokens * 0.8, max_increase=0.1)).verdict is MetricVerdict.IMPROVED
    assert row(judged(tokens, tokens, max_increase=0.1)).verdict is MetricVerdict.UNCHANGED


def test_without_the_key_it_is_shown_only(tokens: Any):
    shown = row(judged(tokens, tokens * 3, level="warn"))

    assert shown.verdict is MetricVerdict.SHOWN
    assert "no max_increase is set" in shown.reason


def test_a_warning_rule_shows_red_and_blocks_nothing(tokens: Any):
    decision = judged(tokens, tokens * 3, level="warn", max_increase=0.1)

    assert row(decision).verdict is MetricVerdict.REGRESSED
    assert decision.verdict is Verdict.PASSED


def test_what_was_not_measured_gives_no_decision(tokens: Any):
    after: Any = [[float(cell[0])] for cell in tokens]
    for number in range(10):
        after[number] = [None]
    comparison = noisy_pair(tokens, after, info=TOKENS)

    decision = judge(comparison, Rule(metric="prompt_tokens", max_increase=0.1))

    assert decision.verdict is Verdict.NO_DECISION


def test_samples_that_failed_on_either_side_are_left_out(tokens: Any):
    before: Any = [[float(cell[0])] for cell in tokens]
    after: Any = [[float(cell[0])] for cell in tokens]
    for number in range(6):  # a tenth, each on one side
        before[number], after[59 - number] = [N_A], [N_A]
    comparison = noisy_pair(before, after, info=TOKENS)

    decision = judge(comparison, Rule(metric="prompt_tokens", max_increase=0.1))

    assert decision.verdict is Verdict.PASSED
    assert row(decision).n == 48


def without_usage(after: Any, lost: int) -> Decision:
    """Decide where each of 100 samples took 500 tokens, and the first `lost` tell nothing now."""
    now: Any = [*[[None]] * lost, *columns(after)[lost:]]
    comparison = noisy_pair([[500.0]] * 100, now, info=TOKENS)
    return judge(comparison, Rule(metric="prompt_tokens", max_increase=0.1))


@pytest.mark.parametrize(("lost", "verdict"), [(4, Verdict.PASSED), (5, Verdict.NO_DECISION)])
def test_more_samples_without_usage_than_by_bad_luck_leave_no_decision(lost: int, verdict: Verdict):
    decision = without_usage(np.full((100, 1), 500.0), lost)

    assert decision.verdict is verdict
    unusual = "prompt_tokens: 5 of 100 samples could not be scored"
    assert any(unusual in reason for reason in decision.reasons) is (lost == 5)


def test_a_rise_that_is_proven_is_red_whatever_is_missing():
    assert without_usage(np.full((100, 1), 1000.0), 5).verdict is Verdict.FAILED


def test_the_same_answers_from_longer_prompts_are_red_although_the_system_repeats(tokens: Any):
    samples = samples_of(60)
    exact: dict[str, Any] = {"infos": (TOKENS,), "deterministic": BOTH, "same_outputs": True}
    before = run_of({"prompt_tokens": np.repeat(tokens, 3, axis=1)}, samples, **exact)
    after = run_of({"prompt_tokens": tokens * 2}, samples, **exact)
    comparison = compare(before, after, samples)
    decision = judge(comparison, Rule(metric="prompt_tokens", max_increase=0.1))

    assert comparison.affected == 0
    assert row(decision).verdict is MetricVerdict.REGRESSED
    assert not row(decision).exact


def test_it_is_no_part_of_the_family(tokens: Any):
    assert judged(tokens, tokens * 3, max_increase=0.1).family == ("token_f1",)


def test_samples_of_one_document_prove_together():
    before = np.full(40, 100.0)
    after = before.copy()
    after[:30] *= 1.5
    clusters = np.array([0] * 30 + list(range(1, 11)))

    alone = increase(before, after, 0.1, 0.02)
    together = increase(before, after, 0.1, 0.02, clusters=clusters)

    assert alone.above
    assert not together.above
    assert together.units == 11


def test_a_document_of_which_nothing_was_measured_is_no_unit():
    usual = np.full(8, 100.0)

    found = increase(usual, usual * 1.5, 0.1, 0.02, clusters=np.arange(8) // 2 * 10)

    assert found.units == 4
    assert not found.above  # four prove nothing, however many documents there are


def test_a_system_that_takes_the_same_is_hardly_ever_red():
    draw = np.random.default_rng(11)
    red = 0
    for _ in range(400):
        usual = draw.lognormal(6, 0.6, size=(80, 1))
        runs = usual * draw.lognormal(0, 0.25, size=(80, 4))
        red += increase(runs[:, :3].mean(axis=1), runs[:, 3], 0.1, 0.02).above

    assert red <= 8  # 2 % of 400


CONFIG = """
[policy]
dataset = "g.jsonl"
baseline = "b.json"
systems = ["replay"]
[policy.metrics."{metric}"]
{rule}
[system]
use = "replay"
path = "o.jsonl"
"""


@pytest.mark.parametrize(
    ("metric", "rule", "told"),
    [
        ("mrr", "max_increase = 0.1", "it holds tokens, cost and latency only"),
        ("retrieved_tokens", 'level = "warn"\nmax_increase = 0.1', "it holds tokens, cost and"),
        ("cost_usd", "max_drop = 0.1", "max_drop does not apply here"),
        ("cost_usd", "", "it can only fail by a limit, and there is none"),
        ("cost_usd", "max_increase = 0", "max_increase"),
    ],
)
def test_a_rule_that_does_not_fit_is_refused(metric: str, rule: str, told: str, tmp_path: Any):
    with pytest.raises(ConfigError, match=told):
        parse_config(CONFIG.format(metric=metric, rule=rule), where="ragate.toml", root=tmp_path)


@pytest.mark.parametrize("metric", ["cost_usd", "prompt_tokens", "completion_tokens"])
def test_a_rule_that_fits_is_read(metric: str, tmp_path: Any):
    text = CONFIG.format(metric=metric, rule="max_increase = 0.1")

    (rule,) = parse_config(text, where="ragate.toml", root=tmp_path).policy.metrics
    assert rule.max_increase == 0.1
