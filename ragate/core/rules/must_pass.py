"""Must-pass samples: each must reach the pass mark, in two of three tries."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.rules.waivers import active
from ragate.core.rules.wording import count, number
from ragate.core.statistics.score_columns import SLACK, Floats
from ragate.models import Direction, MustPassRow, Reads, Waiver

TRIES = 3


def decide_must_pass(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> tuple[list[MustPassRow], RuleOutcome, int]:
    """Return the rows, what they mean, and how many more tries they ask for."""
    rows: list[MustPassRow] = []
    total, wanted = RuleOutcome(), 0
    if comparison.all_failed:
        return rows, total, wanted
    waived = active((*comparison.waivers, *waivers), today)
    marked = sorted(key for key, sample in comparison.samples.items() if sample.must_pass)
    for case in cases:
        if not case.gates or case.rule.pass_at is None or case.info.aggregate:
            continue
        for key in marked:
            if (key, case.name) in waived:
                continue
            found = _judge(case, comparison, key)
            if found is not None:
                rows.append(found[0])
                total = RuleOutcome(
                    red=total.red + found[1].red,
                    undecided=total.undecided + found[1].undecided,
                    warnings=total.warnings + found[1].warnings,
                )
                wanted = max(wanted, _wants(case, comparison, found[0]))
    return rows, total, wanted


def _judge(
    case: MetricCase, comparison: Comparison, key: str
) -> tuple[MustPassRow, RuleOutcome] | None:
    """Judge one sample; None where the metric does not apply to it."""
    scores = _scores(case, comparison, key)
    if scores is None:
        return None
    assert case.rule.pass_at is not None
    passes = [_passes(case, value) for value in scores]
    failed, passed = passes.count(False), passes.count(True)
    unknown = len(passes) - failed - passed
    before = _before(case, comparison, key)
    eligible = all(value is True for value in before)
    row = MustPassRow(
        sample_id=key,
        metric=case.name,
        pass_at=case.rule.pass_at,
        tries=len(scores),
        failed=failed,
        met=passed > failed + unknown,
        eligible=eligible,
        false_red=_false_red(case, comparison.ids.index(key)) if before else None,
        scores=tuple(scores),
    )
    return row, _meaning(case, row, unknown)


def _meaning(case: MetricCase, row: MustPassRow, unknown: int) -> RuleOutcome:
    if row.met:
        return RuleOutcome()
    where = f"must-pass {row.sample_id}: {case.name}"
    if row.missed:
        tries = f"{row.failed} of {count(row.tries, 'try').replace('trys', 'tries')}"
        said = f"{where} missed its pass mark {number(row.pass_at)} in {tries}"
        if row.eligible:
            return RuleOutcome(red=(said,))
        return RuleOutcome(warnings=(f"{said}; it failed in the baseline as well",))
    missing = f"{unknown} unscored" if unknown else "a tie"
    return RuleOutcome(undecided=(f"{where}: {missing} in {row.tries}, not decided",))


def _scores(case: MetricCase, comparison: Comparison, key: str) -> list[float | None] | None:
    """Return one value a try; None where the metric does not apply to the sample."""
    if case.column is None or _silent(case, comparison, key):
        return None
    found: list[float | None] = []
    for record in comparison.candidate.tries.get(key, ())[:TRIES]:
        score = record.scores.get(case.name)
        found.append(score.value if score is not None else None)
    return found or [None]


def _silent(case: MetricCase, comparison: Comparison, key: str) -> bool:
    assert case.column is not None
    if key in comparison.ids:
        return not case.column.applies[comparison.ids.index(key)]
    return bool(case.column.added.silent[comparison.added.index(key)].any())


def _passes(case: MetricCase, value: float | None) -> bool | None:
    mark = case.rule.pass_at
    if value is None or mark is None:
        return None
    if case.info.direction is Direction.HIGHER:
        return value >= mark - SLACK
    return value <= mark + SLACK


def _before(case: MetricCase, comparison: Comparison, key: str) -> list[bool | None]:
    """Whether each baseline run passed; empty for a sample the baseline does not have."""
    if case.column is None or case.column.problem or key not in comparison.ids:
        return []
    row = case.column.recorded.values[comparison.ids.index(key)]
    return [_passes(case, float(value)) for value in row if np.isfinite(value)]


def _false_red(case: MetricCase, place: int) -> float | None:
    """Chance that the unchanged system fails two of three, from samples that passed otherwise.

    Of all scored samples and runs where every other baseline run passed, the share that failed is
    the chance f of one failing try. Half a failure is added, so that it is never 0 by luck alone.
    Where samples repeat exactly, those that do not are counted among themselves.

    Args:
        place: The sample's row.
    """
    assert case.column is not None
    values = case.column.recorded.values
    if case.column.exact:
        varies = case.column.varies
        if varies is None or not varies[place]:
            return 0.0
        values = values[varies]
    if values.shape[1] < 2:
        return None
    passed = _passing(case, values)
    others = passed.sum(axis=1, keepdims=True) - passed == values.shape[1] - 1
    tried = others & np.isfinite(values)
    f = (int((tried & ~passed).sum()) + 0.5) / (int(tried.sum()) + 1)
    return 3 * f * f * (1 - f) + f**3


def _passing(case: MetricCase, values: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    mark = case.rule.pass_at
    assert mark is not None
    if case.info.direction is Direction.HIGHER:
        return np.nan_to_num(values, nan=-np.inf) >= mark - SLACK
    return np.nan_to_num(values, nan=np.inf) <= mark + SLACK


def _wants(case: MetricCase, comparison: Comparison, row: MustPassRow) -> int:
    """Tries still to make: none once the input is known to repeat byte for byte."""
    repeats = case.column is not None and case.column.declared
    if repeats and case.info.reads is not Reads.RUN:
        outputs = {r.output_hash for r in comparison.candidate.tries.get(row.sample_id, ())}
        if len(outputs) == 1:
            return 0
    return max(0, TRIES - row.tries)
