"""The rules of a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.config import check_rule
from ragate.config.rules import read_rules
from ragate.errors import ConfigError
from ragate.models import Direction, MetricInfo, PassRule, Rule
from tests.unit.config.config_factories import JUDGE, WHOLE, changed, error_of, judged, parse


def with_metric(name: str, body: str) -> str:
    return changed("[policy.metrics.token_f1]\n", f"[policy.metrics.{name}]\n{body}\n")


def test_a_pass_rate_is_a_table_of_its_own() -> None:
    text = with_metric("token_f1", "pass_at = 0.5\npass_rate = {minimum = 0.8}")

    rule = parse(text).policy.metrics[-1]

    assert rule.pass_rate == PassRule(minimum=0.8)
    assert (rule.level, rule.gates) == ("warn", True)
    assert not rule.amended(pass_rate=None).gates
    assert not rule.amended(level="off").gates


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("pass_rate = {}", "write pass_at beside it"),
        ("pass_at = 0.5\npass_rate = 0.8", "pass_rate = 0.8"),
        ("pass_at = 0.5\npass_rate = {minimum = 80}", "minimum = 80"),
        (
            "pass_at = 0.5\npass_rate = {minimun = 0.8}",
            "pass_rate]: unknown key 'minimun'; did you mean 'minimum'?",
        ),
    ],
)
def test_a_pass_rate_that_makes_no_sense_is_an_error(body: str, says: str) -> None:
    assert says in error_of(with_metric("token_f1", body))


def test_a_policy_that_gates_nothing_is_refused() -> None:
    text = WHOLE.replace('[policy.metrics."recall@10"]\nminimum = 0.5\nmax_drop = 0.02\n', "")
    text = text.replace('[policy.metrics.token_f1]\nlevel = "warn"\n', "")

    assert "[policy.metrics] is missing" in error_of(text)


@pytest.mark.parametrize(
    ("name", "body", "names"),
    [
        ("token_f2", "", ["'token_f2'", "'token_f1'"]),
        ('"token_f1@10"', "", ["token_f1", "cut-off"]),
        ("ndcg", "", ["ndcg", "cut-off"]),
        ('"ndcg@0"', "", ["ndcg@0", "cut-off"]),
        ('"../../x"', "", ["../../x"]),
        ('"ndcg@10"', 'gian = "linear"', ["'gian'", "'gain'"]),
        ('"ndcg@10"', 'gain = "cubic"', ["gain = 'cubic'"]),
        ("token_f1", "maximum = 0.5", ["maximum = 0.5", "write minimum"]),
        ("error_rate", "minimum = 0.5", ["minimum = 0.5", "write maximum"]),
        ("token_f1", "minimum = 85", ["minimum = 85", "0 to 1"]),
        ("token_f1", "pass_at = -1", ["pass_at = -1", "0 to 1"]),
        ("token_f1", "max_drop = -0.1", ["max_drop = -0.1"]),
        ("token_f1", 'level = "eror"', ["level = 'eror'"]),
        ("token_f1", "minimum = true", ["minimum = True"]),
        ("latency_p95", "", ["write maximum"]),
        ("latency_p95", "maximum = 2\nmax_drop = 0.1", ["max_drop"]),
        ("token_f1", "phrase = ['x']", ["'phrase'"]),
    ],
)
def test_a_wrong_rule_is_named(name: str, body: str, names: list[str]) -> None:
    text = with_metric(name, body).replace('level = "warn"\n', "")
    text = text.replace('metric = "token_f1"', 'metric = "recall@10"')

    message = error_of(text)

    assert all(part in message for part in names), message


def test_a_rule_on_a_foreign_metric_can_be_checked_once_the_metric_is_made() -> None:
    info = MetricInfo(name="my.metric", direction=Direction.LOWER)

    check_rule(Rule(metric="my.metric", maximum=0.5), info)
    with pytest.raises(ConfigError, match=r'policy.metrics."my.metric".*minimum = 0.5'):
        check_rule(Rule(metric="my.metric", minimum=0.5), info)


def test_a_value_over_the_whole_run_may_be_shown_without_a_limit() -> None:
    text = with_metric("latency_p95", "").replace('metric = "token_f1"', 'metric = "recall@10"')

    assert parse(text).policy.metrics[1].level == "warn"


def test_the_metrics_own_keys_are_kept_apart_from_the_rule() -> None:
    text = with_metric('"ndcg@10"', 'gain = "linear"').replace('"token_f1"', '"ndcg@10"')

    assert parse(text).metric_settings["ndcg@10"] == {"gain": "linear"}


def test_a_metric_of_foreign_code_is_not_imported_by_reading_the_file(tmp_path: Path) -> None:
    text = with_metric('"this:create"', "own = 1").replace('"token_f1"', '"this:create"')

    config = parse(text)

    assert config.metric_settings["this:create"] == {"own": 1}
    assert "this" not in __import__("sys").modules


def test_the_limits_of_a_grade_are_those_of_its_scale() -> None:
    assert "values go from 1 to 5" in error_of(judged(JUDGE, "correctness", "minimum = 0.8"))
    assert parse(judged(JUDGE, "correctness", "minimum = 4.0\npass_at = 4.0"))


def test_a_waiver_names_a_configured_metric() -> None:
    message = error_of(changed('metric = "token_f1"', 'metric = "token_f2"'))

    assert "q017" in message
    assert "'token_f1'" in message


@pytest.mark.parametrize(
    ("name", "table", "level"),
    [
        ("rouge_l", {}, "warn"),
        ("rouge_l", {"level": "error"}, "error"),
        ("rouge_l", {"minimum": 0.3}, "error"),
        ("token_f1", {}, "error"),
    ],
)
def test_a_metric_that_harmless_rewording_lets_fall_does_not_gate_unasked(
    name: str, table: dict[str, Any], level: str
) -> None:
    rules, _ = read_rules({name: table}, judge=None, embedder=None)

    assert rules[0].level == level
