"""What makes a baseline anew, and what leaves it as it is."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import right

pytestmark = pytest.mark.integration


def test_two_updates_in_a_row_leave_the_same_bytes(project):
    run(["baseline", "update"])
    first = (project.root / "baselines" / "gate.json").read_bytes()

    assert run(["baseline", "update"]) == 0

    assert (project.root / "baselines" / "gate.json").read_bytes() == first


def test_a_redrawn_noisy_baseline_is_kept_unless_forced(project, capsys):
    def noisy(shift: int):
        def answer(number: int, run_number: int) -> dict[str, Any]:
            if (number + run_number * 7 + shift) % 10:
                return right(number, 0)
            return {**right(number, 0), "answer": "No idea."}

        return answer

    project.record(noisy(0), runs=3)
    run(["baseline", "update"])
    path = project.root / "baselines" / "gate.json"
    first = path.read_bytes()
    project.record(noisy(1), runs=3)

    assert run(["baseline", "update"]) == 0
    assert path.read_bytes() == first
    assert "--force" in capsys.readouterr().out
    assert run(["baseline", "update", "--force"]) == 0
    assert path.read_bytes() != first


def test_a_metric_that_is_new_gets_into_a_baseline_that_has_not_moved(project, capsys):
    assert run(["baseline", "update"]) == 0
    project.configure(metrics='[policy.metrics."mrr@5"]\nlevel = "error"')

    assert run(["baseline", "update"]) == 0

    capsys.readouterr()
    assert run(["check"]) == 0
    assert "mrr@5" in capsys.readouterr().out
