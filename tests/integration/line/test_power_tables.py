"""What a golden set can see."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import wobbly

pytestmark = pytest.mark.integration


def test_power_says_how_many_samples_a_drop_needs(gated, capsys):
    assert run(["power", "--drop", "0.05", "--noise", "0.1"]) == 0

    assert "To see a drop of 0.05 with 3 baseline runs" in capsys.readouterr().out


@pytest.mark.parametrize("claim", ["generalise", "this-set"])
def test_the_report_and_power_print_the_same_smallest_visible_drop(project, capsys, claim):
    project.configure(policy=f'claim = "{claim}"')
    project.record(wobbly(0), runs=3)
    assert run(["baseline", "update"]) == 0
    project.record(wobbly(3), runs=3)
    assert run(["check"]) == 0
    rows = {row["metric"]: row for row in project.report()["decision"]["metrics"]}
    capsys.readouterr()

    assert run(["power"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert "noise measured on 3 baseline runs" in lines[0]
    printed = next(line for line in lines if line.startswith("token_f1")).split()[-1]
    assert float(printed) == pytest.approx(rows["token_f1"]["mde"])
