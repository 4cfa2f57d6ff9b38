"""The count that is shown beside a metric on a part of an answer."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ragate import plugins
from ragate.core.rules.checked_metric import counts_in_metrics
from ragate.errors import PluginError
from ragate.models import Acceptance, MetricVerdict, RunManifest, SystemInfo, Verdict, Waiver
from ragate.scoring.metric_records import evaluate
from tests.factories import decision_factory, metric_row_factory, report_factory
from tests.unit.core.answer_pool import compared, outputs_of, questions, rule_for
from tests.unit.core.decision_factories import TODAY, judge, row_of

PARTS = ("unsupported_numbers", "citation_validity", "quote_fidelity")


@pytest.mark.parametrize("name", PARTS)
def test_the_count_is_shown_only_where_it_varies(name: str) -> None:
    samples = questions()
    same = outputs_of(samples, 1)

    decision = judge(compared([same] * 3, [same], samples, [name]), rule_for(name))

    assert [row.metric for row in decision.metrics] == [name]


def test_the_count_stands_at_the_level_of_its_metric() -> None:
    samples = questions()
    before, after = outputs_of(samples, 1), outputs_of(samples, 2)
    shown = rule_for("quote_fidelity").amended(level="warn")

    decision = judge(
        compared([before], [after], samples, ["quote_fidelity", "token_f1"]),
        shown,
        rule_for("token_f1"),
    )

    assert row_of(decision, "quote_fidelity.checked").level == "warn"


def test_a_waiver_of_a_metric_holds_for_its_count() -> None:
    samples = questions()
    before = outputs_of(samples, 1)
    quoting = next(
        key for key, one in before.items() if key[0] == "q" and '"' in (one.answer or "")
    )
    after = before | {quoting: before[quoting].amended(answer="It is so.")}
    waiver = Waiver(id=quoting, metric="quote_fidelity", owner="ann", reason="known", until=TODAY)
    comparison = compared([before], [after], samples, ["quote_fidelity"])
    rule = rule_for("quote_fidelity")

    assert row_of(judge(comparison, rule), "quote_fidelity.checked").worse == 1
    waived = judge(comparison, rule, waivers=[waiver])
    assert row_of(waived, "quote_fidelity.checked").worse == 0


def test_a_count_under_another_name_is_refused() -> None:
    samples = questions(1)
    metric: Any = plugins.metric("quote_fidelity")
    misnamed = dataclasses.replace(metric, info=metric.info.amended(name="mine"))

    with pytest.raises(PluginError, match=r"'mine' counts what it checks as 'quote_fidelity"):
        evaluate(
            [outputs_of(samples, 1)],
            samples,
            [misnamed],
            manifest=RunManifest(system=SystemInfo(use="replay")),
        )


def test_a_report_holds_a_count_as_a_property_of_its_metric() -> None:
    name = "polarity.checked"
    told = f"{name} fell by 1.000"
    count = metric_row_factory(
        name, 1.0, 0.0, MetricVerdict.REGRESSED, blocks=True, worse=3, reason=told
    )
    rows = [metric_row_factory("polarity"), count, metric_row_factory("mrr")]
    decision = decision_factory(Verdict.FAILED, rows, reasons=(told,), family=("polarity", name))

    report = counts_in_metrics(report_factory(decision))

    polarity, mrr = report.decision.metrics
    assert (polarity.blocks, polarity.unchecked, mrr.checked) == (True, 3, None)
    assert report.decision.reasons == ("polarity: answers with something to check fell by 1.000",)
    assert report.decision.family == ("polarity",)
    assert name not in report.model_dump_json()
    assert counts_in_metrics(report) == report


def test_who_accepts_a_metric_accepts_that_less_of_it_is_checked() -> None:
    samples = questions()
    before = outputs_of(samples, 1)
    after = {key: one.amended(answer="It is so.") for key, one in before.items()}
    comparison = compared([before], [after], samples, ["quote_fidelity"])
    taken = Acceptance(metric="quote_fidelity", by="ann", reason="plain now")

    red = judge(comparison, rule_for("quote_fidelity"))
    passed = judge(comparison, rule_for("quote_fidelity"), accepted=[taken])

    assert row_of(red, "quote_fidelity.checked").blocks
    assert passed.verdict is Verdict.PASSED
    assert passed.accepted == (taken,)
