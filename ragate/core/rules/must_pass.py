"""Must-pass samples: each must reach the pass mark, by default in two of three tries."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.pass_columns import passing
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.rules.waivers import active
from ragate.core.statistics.must_pass_odds import Steadiness, steadiness
from ragate.core.statistics.score_columns import Floats, Mask
from ragate.core.text.wording import count, number
from ragate.models import DecisionSettings, MustPassRow, Reads, Waiver


@dataclass(frozen=True)
class MustPassOdds:
    """How often the questions that must pass fail an unchanged system.

    Attributes:
        questions: Those that passed every baseline run.
        chance: That any of them fails; proposed: tries and fails to write, None where all is well.
        unsteady: By id, in how many of the runs those passed that failed one.
    """

    questions: int
    chance: float
    proposed: tuple[int, int] | None
    unsteady: dict[str, tuple[int, int]]


def decide_must_pass(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> tuple[list[MustPassRow], list[RuleOutcome], int]:
    """Return the rows, what they mean, and how many more tries they ask for."""
    rows: list[MustPassRow] = []
    outcomes: list[RuleOutcome] = []
    missing_tries = 0
    if comparison.all_failed:
        return rows, outcomes, missing_tries
    for case, keys in _marked(cases, comparison, waivers, today):
        steady = _steadiness(case, comparison, keys)
        for key in keys:
            decided = _decide_sample(case, comparison, key, settings, steady)
            if decided is not None:
                rows.append(decided[0])
                outcomes.append(decided[1])
                missing = _missing_tries(case, comparison, decided[0], settings)
                missing_tries = max(missing_tries, missing)
    return rows, outcomes, missing_tries


def must_pass_odds(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> MustPassOdds | None:
    """Return what the baseline's runs say of an unchanged system; None where they say nothing."""
    fine, likely = 1.0, (settings.tries, settings.fails)
    every: set[str] = set()
    unsteady: dict[str, tuple[int, int]] = {}
    for case, keys in _marked(cases, comparison, waivers, today):
        steady = _steadiness(case, comparison, keys)
        passed = {key: _before(case, comparison, key) for key in keys}
        eligible = {key for key, runs in passed.items() if runs and all(runs)}
        unsteady |= {key: (sum(runs), len(runs)) for key, runs in passed.items() if not all(runs)}
        if steady is None or (case.column is not None and case.column.exact):
            continue
        every |= eligible
        fine *= 1 - steady.any_fails(len(eligible), settings.tries, settings.fails)
        likely = max(likely, steady.proposed(len(eligible), settings.alpha))
    if not every and not unsteady:
        return None
    needed = 1 - fine > settings.alpha and likely != (settings.tries, settings.fails)
    return MustPassOdds(len(every), 1 - fine, likely if needed else None, unsteady)


def _marked(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> Iterator[tuple[MetricCase, list[str]]]:
    """Yield each metric with a pass mark that gates, and the samples that must reach it."""
    gating = [c for c in cases if c.rule.gates and c.rule.pass_at is not None]
    gating = [case for case in gating if not case.info.aggregate]
    if not gating:
        return
    waived = active((*comparison.waivers, *waivers), today)
    marked = sorted(key for key, sample in comparison.samples.items() if sample.must_pass)
    for case in gating if marked else ():
        yield case, [key for key in marked if (key, case.name) not in waived]


def _steadiness(case: MetricCase, comparison: Comparison, keys: Sequence[str]) -> Steadiness | None:
    """Return how steady the baseline's runs of these samples are, those that repeat left out."""
    if case.column is None or case.column.problem:
        return None
    rows = [row for row, key in enumerate(comparison.ids) if key in set(keys)]
    values = case.column.recorded.values[rows]
    if case.column.exact and case.column.varies is not None:
        values = values[case.column.varies[rows]]
    return steadiness(_passing(case, values[np.isfinite(values).all(axis=1)]))


def _decide_sample(
    case: MetricCase,
    comparison: Comparison,
    key: str,
    settings: DecisionSettings,
    steady: Steadiness | None,
) -> tuple[MustPassRow, RuleOutcome] | None:
    """Decide on one sample; None where the metric does not apply to it."""
    scores = _scores(case, comparison, key, settings.tries)
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
        met=passed > min(failed + unknown, settings.tries - settings.fails),
        eligible=all(before),
        false_red=_false_red(case, comparison, key, settings, steady) if before else None,
        scores=tuple(scores),
        of_tries=settings.tries,
        fails=settings.fails,
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
    missing = f"{unknown} unscored" if unknown else f"{row.failed} failed"
    said = f"{subject}: {missing} in {count(row.tries, 'try').replace('trys', 'tries')}"
    return RuleOutcome(undecided=(f"{said}, and {row.of_tries} are needed to tell",))


def _scores(
    case: MetricCase, comparison: Comparison, key: str, most: int
) -> list[float | None] | None:
    """Return one value a try; None where the metric does not apply to the sample."""
    if case.column is None or _silent(case, comparison, key):
        return None
    tries = comparison.candidate.tries.get(key, ())[:most]
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


def _false_red(
    case: MetricCase,
    comparison: Comparison,
    key: str,
    settings: DecisionSettings,
    steady: Steadiness | None,
) -> float | None:
    """Return how often the unchanged system fails a sample that passed; 0 where it repeats."""
    assert case.column is not None
    row = comparison.ids.index(key)
    if case.column.exact and (case.column.varies is None or not case.column.varies[row]):
        return 0.0
    return None if steady is None else steady.fails(settings.tries, settings.fails)


def _passing(case: MetricCase, values: Floats) -> Mask:
    assert case.rule.pass_at is not None
    return passing(case.info, case.rule.pass_at, values)


def _missing_tries(
    case: MetricCase, comparison: Comparison, row: MustPassRow, settings: DecisionSettings
) -> int:
    """Tries still to make: none once it is settled, or the input repeats byte for byte."""
    repeats = case.column is not None and case.column.declared
    if repeats and case.info.reads is not Reads.RUN:
        outputs = {r.output_hash for r in comparison.candidate.tries.get(row.sample_id, ())}
        if len(outputs) == 1:
            return 0
    passed = row.tries - row.failed - sum(score is None for score in row.scores)
    to_fail = settings.fails - row.failed
    to_pass = settings.tries - settings.fails + 1 - passed
    return max(0, min(settings.tries - row.tries, to_fail, to_pass))
