"""Collecting and deciding apart."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost

pytestmark = pytest.mark.integration


def test_collect_and_decide_give_the_report_of_check(gated):
    gated.record(lost(6), runs=3)
    run(["check"])
    checked = gated.report()

    assert run(["collect", "--runs", "3"]) == 0
    assert run(["decide"]) == 1

    # Of a noisy system `check` looks twice and files once: the rest is the same.
    told, again = (
        {r["metric"]: r for r in each["decision"]["metrics"]} for each in (checked, gated.report())
    )
    assert {name: (r["verdict"], r["change"], r["p"]) for name, r in told.items()} == {
        name: (r["verdict"], r["change"], r["p"]) for name, r in again.items()
    }
