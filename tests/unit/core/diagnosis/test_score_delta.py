"""How the scores of one sample moved."""

from __future__ import annotations

from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.models import Direction, MetricInfo
from tests.unit.core.diagnosis.changed_factory import RULES, changed
from tests.unit.core.diagnosis.diagnosis_factory import SAMPLE, record, run_of


def test_six_decimals_of_a_baseline_are_no_change():
    assert changed([SAMPLE], [record(idf_f1=0.333333)], [record(idf_f1=1 / 3)]) == ((), 1)


def test_seconds_are_no_change():
    metrics = {"latency": MetricInfo(name="latency", unit="seconds", high=None)}
    before = run_of(record(latency=1.0), metrics=metrics)
    after = run_of(record(latency=2.0), metrics=metrics)

    assert changed_samples([SAMPLE], before, after, rules=RULES, missing_documents={})[:2] == (
        (),
        1,
    )


def test_a_metric_where_lower_is_better_gets_worse_when_it_rises():
    metrics = {"false_refusal": MetricInfo(name="false_refusal", direction=Direction.LOWER)}
    rows, *_ = changed_samples(
        [SAMPLE],
        run_of(record(false_refusal=0.0), metrics=metrics),
        run_of(record(answer="No.", false_refusal=1.0), metrics=metrics),
        rules=RULES,
        missing_documents={},
    )

    assert rows[0].change == "worse"
