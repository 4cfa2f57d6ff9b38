"""A project of all that telemetry tells: stages, tags, a judge, embeddings, own instruments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.judged.judged_projects import configure
from tests.projects import write_docs_project
from tests.servers.openai_server import FakeOpenAI

SCORECARD = """
[policy.scorecard.stages.retrieval]
metric = "recall@5"
weight = 0.4
pass_at = 0.5
required = true

[policy.scorecard.stages.faithful]
metric = "faithfulness"
weight = 0.6
pass_at = 0.4
"""


def write_scored_project(root: Path, model: FakeOpenAI) -> None:
    """Write a judged project whose questions have stages, and tags of two kinds.

    The first question expects a page that shares no word with it, and so fails a required stage.
    """
    write_docs_project(root)
    rows = [json.loads(line) for line in (root / "golden.jsonl").read_text().splitlines()]
    for number, row in enumerate(rows):
        row["tags"] = ["fruit", "even" if number % 2 else "odd"]
    (root / "docs" / "zoning.md").write_text("# Zoning\n\nBylaws forbid tall fences.\n")
    rows[0]["relevant"] = {"zoning.md": 1}
    (root / "golden.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    configure(root, model)
    config = root / "ragate.toml"
    policy, system, rest = config.read_text().partition("\n[system]\n")
    config.write_text(f"{policy}\n{SCORECARD}{system}{rest}")


def deny_ci(patch: pytest.MonkeyPatch) -> None:
    """Let the run be one of a person's own machine."""
    for name in ("CI", "GITHUB_ACTIONS", "GITHUB_EVENT_NAME"):
        patch.delenv(name, raising=False)
