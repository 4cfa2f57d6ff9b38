"""``--set``: what it may change, and what it may not."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.config import SystemConfig
from ragate.config.set_keys import refuse_unknown, told_keys, with_keys, without_secrets
from ragate.errors import ConfigError, UsageError

ANSWER = {"use": "chat", "provider": "p", "model": "a"}
TABLES: dict[str, Any] = {
    "policy": {"judge": {"use": "rubric", "model": "judge-1"}, "baseline": "b.json"},
    "system": {"use": "pgvector", "corpus": "docs", "answer": ANSWER},
}


def test_a_dotted_path_stands_below_the_system():
    changed = with_keys(TABLES, ["answer.model=gpt-5", "top_k=3"])

    assert changed["system"]["answer"]["model"] == "gpt-5"
    assert changed["system"]["top_k"] == 3
    assert TABLES["system"]["answer"]["model"] == "a"


def test_the_judges_model_is_the_only_key_of_the_policy():
    assert with_keys(TABLES, ["judge.model=judge-2"])["policy"]["judge"]["model"] == "judge-2"


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("3", 3),
        ("true", True),
        ('"3"', "3"),
        ("gpt-5", "gpt-5"),
        ("a=b", "a=b"),
        ("", ""),
        ('1\nbase_url = "x"', '1\nbase_url = "x"'),
    ],
)
def test_a_value_is_toml_where_it_parses_else_a_text(value, read):
    tables = {"system": {"use": "my.module"}}

    assert with_keys(tables, [f"key={value}"])["system"]["key"] == read


@pytest.mark.parametrize(
    "given",
    [
        "base_url=http://evil.test",
        "answer.base_url=x",
        "key_env=OTHER",
        "answer.key_env=OTHER",
        'answer={base_url="http://evil.test"}',
        'answer=[{key_env="OTHER"}]',
        "policy.baseline=x",
        "policy.providers.p.base_url=x",
        "judge.provider=x",
        "judge.use=x",
        "providers.p.models=x",
        "metrics.recall=x",
        "scorecard.preset=x",
        "judge.model",
        "=x",
        "a..b=x",
        '"base_url"=x',
        "use.x=1",
    ],
)
def test_addresses_names_of_keys_and_rules_are_refused(given):
    with pytest.raises(UsageError, match="--set"):
        with_keys(TABLES, [given])


def test_an_unknown_key_of_a_system_of_ours_names_the_nearest():
    system = SystemConfig(use="pgvector", settings={"corpus": "docs", "topk": 3})

    with pytest.raises(ConfigError, match=r"unknown key 'topk'; did you mean 'top_k'"):
        refuse_unknown(system)


def test_without_a_judge_there_is_no_model_of_one():
    with pytest.raises(UsageError, match=r"no \[policy.judge\]"):
        with_keys({"system": {"use": "replay"}}, ["judge.model=x"])


@pytest.mark.parametrize(
    "given",
    [
        "answer.api_key=hunter2",
        "headers.authorization=x",
        "token=x",
        "name=sk-proj-0123456789",
        "name=ghp_0123456789abcdef",
        "name=https://user:pass@host/",
        "name=0123456789abcdef0123456789abcdef",
    ],
)
def test_what_looks_secret_is_not_told(given):
    assert told_keys([given]) == (f"{given.partition('=')[0]}=***",)


def test_what_looks_harmless_is_told():
    given = ("answer.model=claude-3-5-haiku-20241022", "top_k=3", "use=python")

    assert told_keys(given) == given


def test_a_secret_is_cut_out_of_the_systems_settings_too():
    settings = {"answer.api_key": '"hunter2"', "answer.model": '"m"', "headers.a": '"x"'}

    told = without_secrets(settings, ["answer.api_key=***", "headers=***", "answer.model=m"])

    assert told == {"answer.api_key": '"***"', "answer.model": '"m"', "headers.a": '"***"'}
