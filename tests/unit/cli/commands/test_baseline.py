"""What `baseline update` prints of the figures that it recorded."""

from __future__ import annotations

import pytest

from ragate.cli.commands.baseline import _means
from ragate.models import MetricInfo
from tests.factories import record_factory, run_factory


def test_a_mean_reads_as_in_a_report_and_a_count_stands_beside_its_metric(
    capsys: pytest.CaptureFixture[str],
):
    seconds = {"latency_p95": MetricInfo(name="latency_p95", unit="seconds")}
    run = run_factory([record_factory()], metrics=seconds)
    means = {"faithfulness": 0.7, "latency_p95": 1.5, "polarity": 1.0, "polarity.checked": 0.25}

    _means(run, means, {"faithfulness": 0.5})

    told = capsys.readouterr().out
    assert "faithfulness             70.0 %  (+20.0)" in told
    assert "latency_p95              1.50 s" in told
    assert "polarity                 100.0 %, something to check in 25% of answers" in told
    assert ".checked" not in told
