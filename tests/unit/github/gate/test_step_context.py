"""What the action lets run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config import parse_config
from ragate.errors import UsageError
from ragate.github.event.inputs import Inputs
from ragate.github.gate.step_context import refuse_code

CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "main.json"
systems = ["replay"]
replay_paths = ["*.jsonl"]

[policy.metrics.tool_execution]

[policy.execution]
target = "calls:run"

[system]
use = "replay"
paths = ["outputs.jsonl"]
"""


def test_calls_are_carried_out_only_where_the_workflow_allows_code() -> None:
    config = parse_config(CONFIG, where="ragate.toml", root=Path())

    with pytest.raises(UsageError, match=r"\[policy.execution\] carries calls out"):
        refuse_code(config, Inputs())
    refuse_code(config, Inputs(allow_code=True))
