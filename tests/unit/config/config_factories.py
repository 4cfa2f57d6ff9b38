"""Texts of a configuration for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config import Config, parse_config
from ragate.errors import ConfigError

WHOLE = """
[policy]
dataset = "evals/golden.jsonl"
baseline = "baselines/docs.json"
systems = ["replay"]

[policy.providers.local]
base_url = "http://127.0.0.1:11434/v1"
key_env = "LOCAL_KEY"

[policy.metrics."recall@10"]
minimum = 0.5
max_drop = 0.02

[policy.metrics.token_f1]
level = "warn"

[[policy.waivers]]
id = "q017"
metric = "token_f1"
owner = "billing"
reason = "reference under review"
until = 2026-12-31

[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


def parse(text: str, root: Path = Path()) -> Config:
    return parse_config(text, where="ragate.toml", root=root)


def changed(old: str, new: str) -> str:
    assert old in WHOLE
    return WHOLE.replace(old, new, 1)


def error_of(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return str(caught.value)


JUDGE = """
[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
"""


def judged(judge: str = JUDGE, metric: str = "faithfulness", body: str = "") -> str:
    return f"{WHOLE}\n[policy.metrics.{metric}]\n{body}\n{judge}"
