"""What `baseline update` prints of the figures that it recorded."""

from __future__ import annotations

import pytest

from ragate.cli.commands.baseline import _means, _same_answer
from ragate.models import MetricInfo
from tests.factories import output_factory, record_factory, run_factory, sample_factory


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


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (["So."] * 5, True),
        (["So."] * 4, False),
        (["So."] * 4 + ["No."], False),
        ([None] * 5, False),
    ],
)
def test_one_answer_to_all_questions_is_said_to_be_odd(answers: list[str | None], told: bool):
    records = [
        record_factory(sample_factory(f"q{number}"), output_factory(answer=answer))
        for number, answer in enumerate(answers)
    ]
    run = run_factory(records)

    assert ("all 5 questions have the same answer" in _same_answer(run)) is told
