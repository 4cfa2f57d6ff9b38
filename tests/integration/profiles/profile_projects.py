"""Projects whose gate is run in part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragate.cli.main import run

PROFILES = """
[policy.profiles.quick]
where = ["source=forum"]
skip = ["token_f1"]
[policy.profiles.full]
top_k = 1
"""


def report(*options: str, code: int = 0) -> dict[str, Any]:
    assert run(["check", *options, "--format", "json", "--output", "r.json"]) == code
    found: dict[str, Any] = json.loads(Path("r.json").read_text())
    return found


def metrics(found: dict[str, Any]) -> set[str]:
    return {row["metric"] for row in found["decision"]["metrics"]}
