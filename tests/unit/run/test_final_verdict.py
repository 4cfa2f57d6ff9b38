"""What fails whatever a judge will say, outputs in two wordings, and a work tree with our files."""

from __future__ import annotations

import pytest

from ragate.models import FloorResult, MetricVerdict, MustPassRow, Verdict
from ragate.run.one_run import is_firm
from tests.factories import decision_factory, metric_row_factory

UNMET = FloorResult(limit=0.9, kind="point", met=False)


MET = FloorResult(limit=0.1, kind="point", met=True)


@pytest.mark.parametrize(
    ("fields", "firm"),
    [
        ({"exact": True, "blocks": True}, True),
        ({"exact": False, "blocks": True}, False),
        ({"exact": True, "blocks": False}, False),
        ({"exact": False, "blocks": True, "floor": UNMET}, True),
        ({"exact": False, "blocks": False, "floor": UNMET}, False),
        ({"exact": False, "blocks": True, "floor": MET}, False),
    ],
)
def test_only_what_needs_no_test_is_firm(fields, firm) -> None:
    row = metric_row_factory("recall@10", 0.9, 0.5, MetricVerdict.REGRESSED)
    row = row.model_copy(update=fields)
    assert is_firm(decision_factory(Verdict.FAILED, metrics=[row])) is firm


@pytest.mark.parametrize("verdict", [Verdict.PASSED, Verdict.NO_DECISION])
def test_a_loss_is_firm_only_where_the_verdict_is_red(verdict: Verdict) -> None:
    row = metric_row_factory("recall@10", 0.9, 0.5, MetricVerdict.REGRESSED)
    row = row.model_copy(update={"exact": True, "blocks": True})
    assert not is_firm(decision_factory(verdict, metrics=[row]))


@pytest.mark.parametrize("met", [True, False])
def test_a_must_pass_sample_that_fails_is_firm(met: bool) -> None:
    row = MustPassRow(
        sample_id="q1",
        metric="recall@10",
        pass_at=1.0,
        tries=3,
        failed=0 if met else 2,
        met=met,
        eligible=True,
    )
    verdict = Verdict.PASSED if met else Verdict.FAILED
    decision = decision_factory(verdict, metrics=[]).amended(must_pass=(row,))
    assert is_firm(decision) is not met


@pytest.mark.parametrize(
    "fields",
    [
        {"failed": 2, "eligible": False},  # it failed in the baseline as well: a warning only
        {"failed": 1, "scores": (0.0, None, 1.0)},  # not decided: a judge is still to be asked
    ],
)
def test_a_must_pass_sample_that_is_not_red_spares_no_judge(fields) -> None:
    row = MustPassRow(
        sample_id="q1",
        metric="recall@10",
        pass_at=1.0,
        **{"tries": 3, "met": False, "eligible": True, **fields},
    )
    for verdict in Verdict:
        decision = decision_factory(verdict, metrics=[]).amended(must_pass=(row,))
        assert not is_firm(decision)
