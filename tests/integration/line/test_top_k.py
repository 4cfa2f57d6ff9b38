"""What `--top-k` leaves behind: the run is partial, and says so wherever it is looked at."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost
from tests.projects import ReplayProject

pytestmark = pytest.mark.integration


@pytest.fixture
def cut(gated: ReplayProject) -> ReplayProject:
    """A project of which only the first passages were looked at, and half the answers are lost."""
    gated.record(lambda number, of: {**lost(2)(number, of), "latency_s": 0.25}, runs=3)
    assert run(["check", "--top-k", "1"]) == 1
    return gated


def test_the_report_is_partial_and_names_the_cut(cut, capsys):
    report = cut.report()

    assert (report["partial"], report["filters"]["top_k"]) == (True, 1)
    run(["report", "latest"])
    told = " ".join(capsys.readouterr().out.split())
    assert "Of what was retrieved only the first 1 passage counted (--top-k)." in told


def test_the_command_that_runs_the_worst_again_cuts_as_well(cut, capsys):
    run(["report", "latest", "--format", "markdown"])

    told = capsys.readouterr().out
    assert "ragate check --ids" in told
    assert "--top-k 1" in told


def test_the_list_of_runs_calls_it_partial_and_no_baseline_is_made_of_it(cut, capsys):
    run(["runs", "list"])

    assert "partial" in capsys.readouterr().out


def test_the_time_of_an_answer_is_in_the_report_of_a_stored_run(cut, capsys):
    run(["report", "latest", "--format", "json"])

    assert '"latency_s": 0.25' in capsys.readouterr().out
