"""What a configuration holds: values, defaults, and what fits none of them."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from ragate.errors import ConfigError, PluginError
from ragate.extension import Extension
from ragate.models import DecisionSettings
from tests.unit.config.config_factories import WHOLE, changed, error_of, parse


def test_a_whole_file_becomes_a_config() -> None:
    config = parse(WHOLE)

    assert config.gate == "docs"
    assert config.dataset == Path("evals/golden.jsonl").resolve()
    assert [rule.metric for rule in config.policy.metrics] == ["recall@10", "token_f1"]
    assert config.policy.metrics[0].minimum == 0.5
    assert config.policy.waivers[0].until == datetime.date(2026, 12, 31)
    assert config.policy.providers["local"].key_env == "LOCAL_KEY"
    assert config.system.use == "replay"
    assert config.system.settings == {"paths": ["outputs/*.jsonl"]}


def test_what_is_not_written_has_its_default() -> None:
    policy = parse(WHOLE).policy

    assert (policy.alpha, policy.runs) == (0.02, 3)
    assert policy.max_unscored == 0.05
    assert (policy.floor, policy.without_key, policy.store) == ("point", "fail", "answers")
    assert (policy.max_calls, policy.max_cost_usd, policy.max_minutes) == (5000, 20.0, 30)


def test_the_decision_figures_are_flat_keys_of_the_policy() -> None:
    config = parse(changed('systems = ["replay"]', 'systems = ["replay"]\nalpha = 0.05\nruns = 5'))

    assert config.policy.alpha == 0.05
    assert config.policy.runs == 5
    assert isinstance(config.policy, DecisionSettings)


def test_an_alert_that_nothing_sends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = changed("[policy]", '[policy]\nalert_env = "ALERTS"')
    monkeypatch.setattr("ragate.config.model.extensions", tuple)

    assert "nothing that is installed sends alerts" in error_of(text)

    follows = Extension("mine", after_step=("mine:follow",))
    monkeypatch.setattr("ragate.config.model.extensions", lambda: (follows,))
    assert parse(text).policy.alert_env == "ALERTS"


def test_a_gate_may_have_a_name_of_its_own() -> None:
    assert parse(changed("[policy]", '[policy]\ngate = "support-bot"')).gate == "support-bot"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("alpha = true", "alpha = True"),
        ('alpha = "0.02"', "alpha = '0.02'"),
        ("alpha = nan", "alpha = nan"),
        ("max_cost_usd = inf", "max_cost_usd = inf"),
        ("alpha = 0.5", "alpha = 0.5"),
        ("runs = 0", "runs = 0"),
        ("runs = 2.5", "runs = 2.5"),
        ("runs = true", "runs = True"),
        ('store = "all"', "store = 'all'"),
        ('without_key = "pass"', "without_key = 'pass'"),
        ("max_unscored = 1.0", "max_unscored = 1.0"),
        ("max_calls = -1", "max_calls = -1"),
        ("max_minutes = 0", "max_minutes = 0"),
        ('gate = "../x"', "gate = '../x'"),
        ('http_hosts = ["http://rag.example"]', "http_hosts[0] = 'http://rag.example'"),
        ('http_hosts = ["rag.example@evil.example"]', "http_hosts[0]"),
        ('http_methods = ["DELETE"]', "http_methods[0] = 'DELETE'"),
        ("http_methods = []", "http_methods"),
        ('http_paths = ["ask"]', "http_paths[0] = 'ask'"),
        ('http_paths = ["/ask?x=*"]', "http_paths[0]"),
        ('http_paths = ["/a/../b"]', "http_paths[0]"),
        ("http_paths = []", "http_paths"),
        ('http_path = ["/ask"]', "did you mean 'http_paths'?"),
        ('accept_own = "no"', "accept_own = 'no'"),
        ("accept_owns = false", "did you mean 'accept_own'?"),
        ('replay_paths = ["../*.jsonl"]', "replay_paths[0] = '../*.jsonl'"),
        ('replay_paths = ["/proc/self/environ"]', "replay_paths[0]"),
    ],
)
def test_a_wrong_value_is_named_with_its_key(line: str, shown: str) -> None:
    assert shown in error_of(changed("[policy]", f"[policy]\n{line}"))


def test_patterns_are_kept_as_written() -> None:
    policy = parse(changed("[policy]", '[policy]\nreplay_paths = ["out/*.jsonl"]')).policy

    assert policy.replay_paths == ("out/*.jsonl",)


@pytest.mark.parametrize("line", ["policy = 1", 'policy.metrics = "x"', "policy.metrics.a = 1"])
def test_what_must_be_a_table_and_is_none_is_named(line: str) -> None:
    assert "must be a table" in error_of(f'{line}\n[system]\nuse = "replay"\n')


def test_a_system_that_the_policy_does_not_list_is_refused() -> None:
    message = error_of(changed('use = "replay"', 'use = "pgvector"'))

    assert "'pgvector'" in message
    assert "['replay']" in message


def test_an_unknown_system_in_the_policy_names_the_nearest() -> None:
    with pytest.raises(PluginError, match="did you mean 'replay'"):
        parse(changed('systems = ["replay"]', 'systems = ["reply"]'))


@pytest.mark.parametrize("value", ["../golden.jsonl", "/proc/self/environ", "", "a\\u0000b"])
def test_the_golden_set_and_the_baseline_stay_inside_the_folder(value: str, tmp_path: Path) -> None:
    for key, old in (("dataset", "evals/golden.jsonl"), ("baseline", "baselines/docs.json")):
        with pytest.raises(ConfigError, match=rf"\[policy\] {key}"):
            parse(changed(old, value), root=tmp_path)
