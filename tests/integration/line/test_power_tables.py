"""What a golden set can see."""

from __future__ import annotations

import re

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import wobbly

pytestmark = pytest.mark.integration


def test_power_says_how_many_samples_a_drop_needs(gated, capsys):
    assert run(["power", "--drop", "0.05", "--noise", "0.1"]) == 0

    out = capsys.readouterr().out
    assert "To see a drop of 0.05 with 3 baseline runs" in out
    found = re.search(r"token_f1: (\d+) samples where the rest stays, (\d+) where 30%", out)
    assert found
    assert int(found[1]) < int(found[2])


def test_a_change_that_rewords_nothing_shows_what_power_prints(project, capsys):
    project.record(wobbly(0), runs=3)
    assert run(["baseline", "update"]) == 0
    project.record(wobbly(3), runs=3)
    assert run(["check"]) == 0
    rows = {row["metric"]: row for row in project.report()["decision"]["metrics"]}
    capsys.readouterr()

    assert run(["power"]) == 0

    out = capsys.readouterr().out
    assert "noise measured on 3 baseline runs" in " ".join(out.split())
    row = next(line for line in out.splitlines() if line.startswith("token_f1")).split()
    breaks, reworded = map(float, row[-2:])
    assert rows["token_f1"]["mde"] == breaks <= reworded
