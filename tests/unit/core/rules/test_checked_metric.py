"""The count that is shown beside a metric on a part of an answer."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ragate import plugins
from ragate.errors import PluginError
from ragate.models import RunManifest, SystemInfo, Waiver
from ragate.pipeline.score.metric_records import evaluate
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
