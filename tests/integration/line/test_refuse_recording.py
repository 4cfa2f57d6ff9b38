"""What makes no baseline."""

from __future__ import annotations

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


def test_a_system_that_fails_everywhere_writes_no_baseline(project, capsys):
    project.record(lambda _n, _run: {"error": "boom"})

    assert run(["baseline", "update"]) == 3
    assert "boom" in capsys.readouterr().err
    assert not (project.root / "baselines").exists()
