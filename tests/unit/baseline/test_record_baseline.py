"""Which provider fresh answers of a baseline come from."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragate.baseline.recording.record_baseline import answering_provider
from ragate.config import load_config

CONFIG = """
[system]
use = "mcp"
command = ["python", "rag.py"]
tool = "ask"
{sampling}
[policy]
dataset = "golden.jsonl"
baseline = "main.json"
systems = ["mcp"]
[policy.metrics]
mrr = {{level = "error"}}
[policy.providers.main]
base_url = "http://127.0.0.1:9/v1"
key_env = "MAIN_KEY"
"""


@pytest.mark.parametrize(
    ("sampling", "provider"),
    [('sampling = {provider = "main", model = "small"}', "main"), ("", "")],
)
def test_a_model_that_a_tool_asks_for_is_looked_at_first(
    tmp_path: Path, sampling: str, provider: str
):
    path = tmp_path / "ragate.toml"
    path.write_text(CONFIG.format(sampling=sampling))
    operations: Any = SimpleNamespace(environment={}, offline=False)

    assert answering_provider(load_config(path), operations) == provider
