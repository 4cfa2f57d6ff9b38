"""Collecting and deciding apart."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost

pytestmark = pytest.mark.integration


def test_collect_and_decide_give_the_report_of_check(gated):
    # Of a noisy system `check` looks twice and files once, so that the visible drop differs.
    gated.configure(policy='repeats = ["retrieval", "answer"]')
    gated.record(lost(6), runs=3)
    run(["check"])
    checked = gated.report()

    assert run(["collect", "--runs", "3"]) == 0
    assert run(["decide"]) == 1

    assert same(gated.report()) == same(checked)


def same(report: dict[str, Any]) -> dict[str, Any]:
    """Leave out what differs between any two runs: ids, times, durations."""
    facts = {k: v for k, v in report["facts"].items() if k != "duration_s"}
    rest = {k: v for k, v in report.items() if k not in {"run_id", "created", "facts", "system"}}
    return {**rest, "facts": facts}
