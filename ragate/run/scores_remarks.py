"""What is said of a verdict on a project's scores: rows that are gone, and the judge's noise."""

from dataclasses import replace

from ragate.core.rules.unscored import most_lost
from ragate.core.text.wording import count, listed
from ragate.gate.compare_and_decide import Decided
from ragate.gate.gate_setup import GateSetup
from ragate.run.hooks import Remarks
from ragate.run.plan import RunPlan
from ragate.scores.judge_noise import judge_noise


class ScoresRemarks:
    """Names the judge's noise; holds a pass back where too many rows are gone for bad luck."""

    def __init__(self, plan: RunPlan, setup: GateSetup) -> None:
        del plan, setup

    def decided(self, decided: Decided) -> Remarks:
        return remarks_on_scores(decided)


def remarks_on_scores(decided: Decided) -> Remarks:
    """Return what is to be said of scores.

    Without a golden set, rows that are gone were not measured; with one, it says what was taken
    out.
    """
    lines = judge_noise(decided.comparison)
    if decided.setup.config.policy.dataset:
        return Remarks(lines=lines)
    return replace(_lost_rows(decided), lines=lines)


def _lost_rows(decided: Decided) -> Remarks:
    data, runs = decided.comparison.data, decided.comparison.baseline.repeats
    gone = [row.sample_id for row in data.gone]
    most = most_lost(data.selected, lost=0, runs=max(1, data.selected * runs))
    if not gone:
        return Remarks()
    said = f"the scores have no row of {count(len(gone), 'sample')} of the baseline: "
    said += listed(gone)
    if len(gone) <= most:
        return Remarks(warnings=(said,))
    remedy = "where they were taken out on purpose, let a golden set say so: [policy] dataset"
    return Remarks(held_back=(said,), remedies=(remedy,))
