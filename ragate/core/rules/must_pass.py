"""Must-pass samples: each must reach the pass mark, in two of three tries."""

import datetime
from collections.abc import Sequence

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.pass_columns import passing
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.rules.waivers import active
from ragate.core.rules.wording import count, number
from ragate.core.statistics.score_columns import Floats, Mask
from ragate.models import MustPassRow, Reads, Waiver

TRIES = 3


def decide_must_pass(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> tuple[list[MustPassRow], list[RuleOutcome], int]:
    """Return the rows, what they mean, and how many more tries they ask for."""
    rows: list[MustPassRow] = []
    outcomes: list[RuleOutcome] = []
    missing_tries = 0
    if comparison.all_failed:
        return rows, outcomes, missing_tries
    waived = active((*comparison.waivers, *waivers), today)
    marked = sorted(key for key, sample in comparison.samples.items() if sample.must_pass)
    for case in cases:
        if not case.rule.gates or case.rule.pass_at is None or case.info.aggregate:
            continue
        for key in marked:
            if (key, case.name) in waived:
                continue
            decided = _decide_sample(case, comparison, key)
            if decided is not None:
                rows.append(decided[0])
                outcomes.append(decided[1])
                missing_tries = max(missing_tries, _missing_tries(case, comparison, decided[0]))
    return rows, outcomes, missing_tries


def _decide_sample(
    case: MetricCase, comparison: Comparison, key: str
) -> tuple[MustPassRow, RuleOutcome] | None:
    """Decide on one sample; None where the metric does not apply to it."""
    scores = _scores(case, comparison, key)
    if scores is None:
        return None
    assert case.rule.pass_at is not None
    scored = [value for value in scores if value is not None]
    passed = int(_passing(case, np.array(scored, dtype=float)).sum())
    failed, unknown = len(scored) - passed, len(scores) - len(scored)
    before = _before(case, comparison, key)
    row = MustPassRow(
        sample_id=key,
        metric=case.name,
        pass_at=case.rule.pass_at,
        tries=len(scores),
        failed=failed,
        met=passed > failed + unknown,
        eligible=all(before),
        false_red=_false_red(case, comparison.ids.index(key)) if before else None,
        scores=tuple(scores),
    )
    return row, _meaning(case, row, unknown)


def _meaning(case: MetricCase, row: MustPassRow, unknown: int) -> RuleOutcome:
    if row.met:
        return RuleOutcome()
    subject = f"must-pass {row.sample_id}: {case.name}"
    if row.missed:
        tries = f"{row.failed} of {count(row.tries, 'try').replace('trys', 'tries')}"
        reason = f"{subject} missed its pass mark {number(row.pass_at)} in {tries}"
        if row.eligible:
            return RuleOutcome(red=(reason,))
        return RuleOutcome(warnings=(f"{reason}; it failed in the baseline as well",))
    missing = f"{unknown} unscored" if unknown else "a tie"
    return RuleOutcome(undecided=(f"{subject}: {missing} in {row.tries}, not decided",))


def _scores(case: MetricCase, comparison: Comparison, key: str) -> list[float | None] | None:
    """Return one value a try; None where the metric does not apply to the sample."""
    if case.column is None or _silent(case, comparison, key):
        return None
    tries = comparison.candidate.tries.get(key, ())[:TRIES]
    scores = [record.scores.get(case.name) for record in tries]
    return [score.value if score is not None else None for score in scores] or [None]


def _silent(case: MetricCase, comparison: Comparison, key: str) -> bool:
    assert case.column is not None
    if key in comparison.ids:
        return not case.column.applies[comparison.ids.index(key)]
    return bool(case.column.added.silent[comparison.added.index(key)].any())


def _before(case: MetricCase, comparison: Comparison, key: str) -> list[bool]:
    """Whether each baseline run passed; empty for a sample the baseline does not have."""
    if case.column is None or case.column.problem or key not in comparison.ids:
        return []
    row = case.column.recorded.values[comparison.ids.index(key)]
    return [bool(passed) for passed in _passing(case, row[np.isfinite(row)])]


def _false_red(case: MetricCase, row: int) -> float | None:
    """Chance that the unchanged system fails two of three, from samples that passed otherwise.

    Of all scored samples and runs where every other baseline run passed, the share that failed is
    the chance f of one failing try. Half a failure is added, so that it is never 0 by luck alone.
    Where samples repeat exactly, those that do not are counted among themselves.

    Args:
        row: The sample's in the columns.
    """
    assert case.column is not None
    values = case.column.recorded.values
    if case.column.exact:
        varies = case.column.varies
        if varies is None or not varies[row]:
            return 0.0
        values = values[varies]
    if values.shape[1] < 2:
        return None
    passed = _passing(case, values)
    others_passed = passed.sum(axis=1, keepdims=True) - passed == values.shape[1] - 1
    tried = others_passed & np.isfinite(values)
    f = (int((tried & ~passed).sum()) + 0.5) / (int(tried.sum()) + 1)
    return 3 * f * f * (1 - f) + f**3


def _passing(case: MetricCase, values: Floats) -> Mask:
    assert case.rule.pass_at is not None
    return passing(case.info, case.rule.pass_at, values)


def _missing_tries(case: MetricCase, comparison: Comparison, row: MustPassRow) -> int:
    """Tries still to make: none once the input is known to repeat byte for byte."""
    repeats = case.column is not None and case.column.declared
    if repeats and case.info.reads is not Reads.RUN:
        outputs = {r.output_hash for r in comparison.candidate.tries.get(row.sample_id, ())}
        if len(outputs) == 1:
            return 0
    return max(0, TRIES - row.tries)
