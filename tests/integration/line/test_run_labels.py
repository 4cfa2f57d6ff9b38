"""What a person notes with a run stands in its manifest, and decides nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost

pytestmark = pytest.mark.integration
NOTED = ("--meta", "ticket=RAG-17", "--meta", "who=ann", "--description", "a smaller top_k")


def manifest(gated: Any) -> dict[str, Any]:
    newest = max(gated.root.glob(".ragate/runs/*/manifest.json"))
    found: dict[str, Any] = json.loads(newest.read_text())
    return found


def test_check_keeps_what_is_noted(gated):
    gated.record(lost(13), runs=1)

    run(["check", *NOTED])

    assert manifest(gated)["meta"] == {"ticket": "RAG-17", "who": "ann"}
    assert manifest(gated)["description"] == "a smaller top_k"


def test_what_collect_notes_reaches_the_run_that_decide_stores(gated):
    gated.record(lost(13), runs=1)

    run(["collect", *NOTED])
    run(["decide", "--description", "judged elsewhere"])

    assert manifest(gated)["meta"] == {"ticket": "RAG-17", "who": "ann"}
    assert manifest(gated)["description"] == "judged elsewhere"


def test_a_recording_keeps_it_and_the_baseline_does_not(gated):
    gated.record(lost(13), runs=1)

    run(["baseline", "update", *NOTED])

    assert manifest(gated)["meta"] == {"ticket": "RAG-17", "who": "ann"}
    assert "RAG-17" not in next(gated.root.glob("baseline*/*.json")).read_text()
