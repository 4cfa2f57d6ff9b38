"""Which share of broken samples the gate sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragate.contrib.drill.breaks import DrillRow, Pair, drill
from ragate.models import (
    Decision,
    MetricInfo,
    MetricRow,
    MetricVerdict,
    MustPassRow,
    Reads,
    Sample,
    SliceRow,
    Verdict,
)
from tests.contrib.drill.drill_factories import output, pairs

METRICS = {
    "mrr": MetricInfo(name="mrr", reads=Reads.RETRIEVAL),
    "idf_f1": MetricInfo(name="idf_f1"),
}


def metric(name: str, mean: float, **more: Any) -> MetricRow:
    fields: dict[str, Any] = {"level": "error", "verdict": MetricVerdict.HELD} | more
    return MetricRow(metric=name, candidate=mean, **fields)


class Gate:
    """Reads answers: red where a share of them, 0.2 by default, lost its number."""

    def __init__(self, *, reddens_at: float = 0.2, **row: object) -> None:
        self.reddens_at, self.row, self.calls = reddens_at, row, 0

    def __call__(self, outputs: Sequence[Pair]) -> Decision:
        self.calls += 1
        right = [str(one.answer).endswith(f" {sample.id[1:]}.") for sample, one in outputs]
        mean = sum(right) / len(right)
        red = 1 - mean >= self.reddens_at - 1e-9
        row = metric("idf_f1", mean, blocks=red, **self.row)
        verdict = Verdict.FAILED if red else Verdict.PASSED
        return Decision(verdict=verdict, metrics=(row,))


def one_row(name: str, gate: object, **more: object) -> DrillRow:
    found = drill(pairs(20), gate, metrics=METRICS, names=[name], **more)  # type: ignore[arg-type]
    return found.rows[0]


def test_the_smallest_share_that_is_caught_is_found():
    gate = Gate()
    found = drill(pairs(20), gate, metrics=METRICS, names=["change_numbers"])

    (row,) = found.rows
    assert (row.share, row.planted, row.caught, row.by) == (0.2, 4, True, ("idf_f1",))
    assert [one.share for one in found.tries] == [0.05, 0.1, 0.2]
    assert gate.calls == 4
    assert (found.caught, found.clean, found.samples) == (1, Verdict.PASSED, 20)


def test_a_break_that_no_metric_reads_says_so():
    row = one_row("drop_top_document", Gate(level="warn"))

    assert not row.caught
    expected = "no error-level metric reads the retrieved chunks: idf_f1 is at level warn"
    assert row.why_not == expected


def test_a_slice_that_gates_alone_is_named_where_a_break_stays_unseen():
    class OnSlice(Gate):
        def __call__(self, outputs: Sequence[Pair]) -> Decision:
            decision = super().__call__(outputs)
            (whole,) = decision.metrics
            part = SliceRow(**dict(whole), slice="billing")
            shown = whole.amended(level="warn", blocks=False)
            return decision.amended(metrics=(shown,), slices=(part,))

    seen = one_row("change_numbers", OnSlice())
    unseen = one_row("change_numbers", OnSlice(reddens_at=2, mde=0.9), shares=[0.05])

    assert seen.by == ("billing:idf_f1",)
    assert unseen.why_not == (
        "billing:idf_f1 fell by 0.050 with 1 samples broken; "
        "a drop of 0.900 is missed in one of five runs"
    )


def test_a_break_that_lowers_nothing_says_so():
    row = one_row("shuffle_ranking", Gate())

    assert row.why_not == "idf_f1 read the retrieved chunks, and this break lowers none of them"


def test_a_drop_that_is_too_small_names_what_the_set_can_see():
    row = one_row("change_numbers", Gate(reddens_at=2.0, mde=0.31), shares=(0.1,))

    assert row.why_not == (
        "idf_f1 fell by 0.100 with 2 samples broken; a drop of 0.310 is missed in one of five runs"
    )


def test_a_drop_that_is_allowed_names_the_limit():
    row = one_row("change_numbers", Gate(reddens_at=2.0, limit=0.2), shares=(0.1,))

    assert row.why_not.endswith("; 0.200 is allowed")


def test_nothing_to_break_says_so_and_is_judged_once():
    gate = Gate()
    given_pairs = [(Sample(id="a1", query="?"), output("no number"))]

    found = drill(given_pairs, gate, metrics=METRICS, names=["change_numbers"])

    assert found.rows[0].why_not == "no output that this break could change"
    assert gate.calls == 1


def test_what_was_red_before_the_break_proves_nothing():
    row = one_row("change_numbers", Gate(reddens_at=0.0))

    assert not row.caught
    assert row.why_not == "idf_f1 was red without the break"


def test_no_decision_is_not_called_caught():
    def no_decision(outputs: Sequence[Pair]) -> Decision:
        rows = (metric("idf_f1", 0.5),)
        return Decision(verdict=Verdict.NO_DECISION, metrics=rows, reasons=("too few samples",))

    assert one_row("negate", no_decision).why_not == "no decision: too few samples"


def test_a_must_pass_sample_can_catch_a_break():
    def must(outputs: Sequence[Pair]) -> Decision:
        met = all(" not" not in str(one.answer) for _, one in outputs)
        row = MustPassRow(
            sample_id="q1", metric="idf_f1", pass_at=1, tries=3, failed=3, met=met, eligible=True
        )
        verdict = Verdict.PASSED if met else Verdict.FAILED
        return Decision(verdict=verdict, must_pass=(row,))

    assert one_row("negate", must).by == ("must-pass",)
