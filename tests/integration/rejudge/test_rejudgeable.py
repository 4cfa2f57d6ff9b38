"""Which baselines can be judged again."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.rejudge.rejudged_projects import SAMPLES, ours, recorded

pytestmark = pytest.mark.integration


def test_metrics_that_need_no_contexts_are_judged_without_them(gate, server, capsys):
    recorded(gate, server, "relevancy", "correctness")

    assert run(["baseline", "rejudge"]) == 0

    assert gate.scores("relevancy") == [1.0] * SAMPLES
    assert gate.scores("correctness") == [5.0] * SAMPLES
    assert len(ours(server)) == SAMPLES
    assert "Something else." not in "".join(ours(server))
    server.requests.clear()
    assert run(["check"]) == 0
    assert ours(server) == []


def test_metrics_that_read_contexts_leave_the_baseline_and_the_others_are_done(
    gate, server, capsys
):
    recorded(gate, server, "faithfulness", "relevancy")

    assert run(["baseline", "rejudge"]) == 2

    said = capsys.readouterr()
    assert f"{SAMPLES} stored outputs judged anew" in said.out
    assert "faithfulness" in said.err
    assert 'store = "full"' in said.err
    assert gate.scores("relevancy") == [1.0] * SAMPLES
    assert gate.scores("faithfulness") == [None] * SAMPLES


def test_where_nothing_can_be_judged_the_baseline_is_left_alone(gate, server, capsys):
    recorded(gate, server, "faithfulness")
    before = gate.file.read_bytes()

    assert run(["baseline", "rejudge"]) == 2

    assert gate.file.read_bytes() == before
    assert server.requests == []
    said = capsys.readouterr().err
    assert "faithfulness reads them" in said
    assert "ragate baseline update" in said


def test_a_golden_set_of_other_samples_leaves_the_baseline_alone(gate, server, capsys):
    recorded(gate, server, "relevancy")
    before = gate.file.read_bytes()
    gate.write_golden(range(SAMPLES), references=["Quite another value."])

    assert run(["baseline", "rejudge"]) == 2

    assert gate.file.read_bytes() == before
    assert "no sample as it stands in the golden set" in capsys.readouterr().err
