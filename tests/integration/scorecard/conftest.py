"""A gate on recorded outputs with a scorecard of two stages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

CARD = """
[policy.scorecard.stages.retrieval]
metric = "hit_rate@5"
weight = 0.4
pass_at = 1
required = true
[policy.scorecard.stages.answer]
metric = "token_f1"
weight = 0.6
pass_at = 0.5
"""


def fields(number: int) -> dict[str, Any]:
    return {
        "tags": ["billing" if number < 20 else "api"],
        "metadata": {"complexity": 1 + number % 2, "source_type": "sme" if number % 4 else "user"},
    }


@pytest.fixture
def carded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    """A project with a baseline that was recorded before it had a scorecard."""
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path, extra={number: fields(number) for number in range(40)})
    assert run(["baseline", "update"]) == 0
    project.configure(metrics=CARD)
    project.record(right)
    return project
