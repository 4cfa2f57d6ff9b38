"""Must-pass samples: each must reach the pass mark, by default in two of three tries."""

import datetime
import math
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
class MustPass:
    """The questions that must pass, and how often they fail an unchanged system.

    Attributes:
        outcomes: What the rows mean for the gate; missing_tries: how many more they ask for.
        likely: Tries and fails that suit the questions.
        unsteady: By id, in how many of the runs those passed that failed one.
    """

    rows: tuple[MustPassRow, ...]
    outcomes: tuple[RuleOutcome, ...]
    missing_tries: int
    likely: tuple[int, int]
    unsteady: dict[str, tuple[int, int]]

    @property
    def varying(self) -> set[str]:
        """Those that passed every baseline run, and may fail by chance."""
        return {row.sample_id for row in self.rows if row.eligible and row.false_red}

    @property
    def chance(self) -> float:
        """How often any of them fails."""
        return 1 - math.prod(1 - (row.false_red or 0) for row in self.rows if row.eligible)


def decide_must_pass(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> MustPass:
    """Decide on every sample that must pass."""
    rows: list[MustPassRow] = []
    outcomes: list[RuleOutcome] = []
    missing, likely = 0, (settings.tries, settings.fails)
    unsteady: dict[str, tuple[int, int]] = {}
    for case, keys in _marked(cases, comparison, waivers, today):
        steady, eligible = _steadiness(case, comparison, keys), 0
        for key in keys:
            before = _before(case, comparison, key)
            if not all(before):
                unsteady[key] = sum(before), len(before)
            decided = _decide_sample(case, comparison, key, settings, before, steady)
            if decided is None:
                continue
            row, meaning = decided
            rows.append(row)
            outcomes.append(meaning)
            missing = max(missing, _missing_tries(case, comparison, row, settings))
            eligible += bool(row.eligible and row.false_red)
        if steady is not None:
            likely = max(likely, steady.proposed(eligible, settings.alpha))
    return MustPass(tuple(rows), tuple(outcomes), missing, likely, unsteady)


def _marked(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> Iterator[tuple[MetricCase, list[str]]]:
    """Yield each metric with a pass mark that gates, and the samples that must reach it."""
    gating = [c for c in cases if c.rule.gates and c.rule.pass_at is not None]
    gating = [case for case in gating if not case.info.aggregate]
    if comparison.all_failed or not gating:
        return
    waived = active((*comparison.waivers, *waivers), today)
    marked = sorted(key for key, sample in comparison.samples.items() if sample.must_pass)
    for case in gating if marked else ():
        yield case, [key for key in marked if (key, case.name) not in waived]


def _steadiness(case: MetricCase, comparison: Comparison, keys: Sequence[str]) -> Steadiness | None:
    """Return how steady the baseline's runs of these samples are, those that repeat left out."""
    if case.column is None or case.column.problem:
        return None
    wanted = set(keys)
    rows = [row for row, key in enumerate(comparison.ids) if key in wanted]
    values = case.column.recorded.values[rows]
    if case.column.exact and case.column.varies is not None:
        values = values[case.column.varies[rows]]
    return steadiness(_passing(case, values[np.isfinite(values).all(axis=1)]))


def _decide_sample(
    case: MetricCase,
    comparison: Comparison,
    key: str,
    settings: DecisionSettings,
    before: Sequence[bool],
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
    if key in comparison.ids:
        return not case.scores.applies[comparison.ids.index(key)]
    return bool(case.scores.added.silent[comparison.added.index(key)].any())


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
    row = comparison.ids.index(key)
    if case.scores.exact and (case.scores.varies is None or not case.scores.varies[row]):
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
