"""Two stored runs."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost

pytestmark = pytest.mark.integration


def test_compare_of_two_stored_runs_needs_no_golden_set(gated):
    run(["check"])
    gated.record(lost(2), runs=1)
    run(["check"])
    old, new = sorted(path.name for path in (gated.root / ".ragate" / "runs").iterdir())[-2:]
    (gated.root / "golden.jsonl").unlink()

    assert run(["compare", "baselines/gate.json", new]) == 1
    assert run(["compare", "baselines/gate.json", old]) == 0
