"""Must-pass samples: each must reach the pass mark, as often as its record on main lets expect.

One that never failed there is tried up to three times and fails when all miss, or two of them once
it passed thirty runs. One that failed and passed again *flips*: it is tried up to twelve times, and
fails only where so many misses are too rare for its record, over all that flip together.
"""

import datetime
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.pass_columns import passing
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.rules.waivers import active
from ragate.core.statistics.looks import FLIPS_TRIES, TRIES
from ragate.core.statistics.must_pass_odds import Steadiness, steadiness, tail
from ragate.core.statistics.score_columns import Floats, Mask
from ragate.core.text.wording import count, number
from ragate.models import DecisionSettings, MustPassRow, Reads, Waiver

FLIPS_ERROR = 0.005  # of all flipping questions together
STEADY = 30  # runs without a failure from which on two misses of three are enough
Record = Mapping[tuple[str, str], Sequence[bool]]
"""By question and metric, whether earlier runs of main passed, oldest first."""


@dataclass(frozen=True)
class MustPass:
    """The questions that must pass, and how often they fail an unchanged system.

    Attributes:
        outcomes: What the rows mean for the gate; missing_tries: how many more they ask for.
        unsteady: By id, in how many of the runs those passed that failed one.
    """

    rows: tuple[MustPassRow, ...]
    outcomes: tuple[RuleOutcome, ...]
    missing_tries: int
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
    record: Record | None = None,
) -> MustPass:
    """Decide on every sample that must pass.

    Args:
        record: Of runs before the baseline's.
    """
    rows: list[MustPassRow] = []
    outcomes: list[RuleOutcome] = []
    missing, unsteady = 0, dict[str, tuple[int, int]]()
    marked = [
        _Marked(case, comparison, settings, {key: n for n, key in enumerate(comparison.ids)}, keys)
        for case, keys in _marked(cases, comparison, waivers, today)
    ]
    known = [(each, key, each.before(key, record or {})) for each in marked for key in each.keys]
    flipping = sum(flips(before) for _, _, before in known)
    steady = {id(each): each.steadiness() for each in marked}
    for each, key, before in known:
        if not all(before):
            unsteady[key] = sum(before), len(before)
        decided = each.decide(key, before, steady[id(each)], flipping)
        if decided is not None:
            row, meaning = decided
            rows.append(row)
            outcomes.append(meaning)
            missing = max(missing, _missing_tries(each.case, comparison, row))
    return MustPass(tuple(rows), tuple(outcomes), missing, unsteady)


def flips(before: Sequence[bool]) -> bool:
    """Whether a question failed on main and passed again."""
    return bool(before) and before[-1] and not all(before)


def _misses(tries: int, before: Sequence[bool], flipping: int) -> int:
    """Return how many of so many tries fail a question; one more than all: none do."""
    if not flips(before):
        return TRIES if len(before) < STEADY else TRIES - 1
    failed = len(before) - sum(before)
    a, b = failed + 0.5, len(before) - failed + 0.5
    level = FLIPS_ERROR / flipping
    rare = (misses for misses in range(tries + 1) if tail(tries, misses, a, b) <= level)
    return next(rare, tries + 1)


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


@dataclass(frozen=True)
class _Marked:
    """A metric with a pass mark that gates.

    Attributes:
        rows: Of the matched samples, by id.
    """

    case: MetricCase
    comparison: Comparison
    settings: DecisionSettings
    rows: Mapping[str, int]
    keys: Sequence[str]

    def passing(self, values: Floats) -> Mask:
        assert self.case.rule.pass_at is not None
        return passing(self.case.info, self.case.rule.pass_at, values)

    def before(self, key: str, record: Record) -> list[bool]:
        """Whether each run of main passed; empty for a sample the baseline does not have."""
        column = self.case.column
        if column is None or column.problem or key not in self.rows:
            return []
        values = column.recorded.values[self.rows[key]]
        earlier = record.get((key, self.case.name), ())
        recorded = list(map(bool, self.passing(values[np.isfinite(values)])))
        runs = self.comparison.baseline.repeats if len(recorded) == 1 else 1  # equal ones are one
        return [*earlier, *recorded * runs]

    def steadiness(self) -> Steadiness | None:
        """Return how steady the baseline's runs of these samples are, without what repeats."""
        column = self.case.column
        if column is None or column.problem:
            return None
        rows = [self.rows[key] for key in self.keys if key in self.rows]
        values = column.recorded.values[[row for row in rows if column.varies[row]]]
        return steadiness(self.passing(values[np.isfinite(values).all(axis=1)]))

    def scores(self, key: str, most: int) -> list[float | None] | None:
        """Return one value for each of so many tries; None where the metric does not apply."""
        column, comparison = self.case.column, self.comparison
        if column is None:
            return None
        if key in self.rows:
            silent = not column.applies[self.rows[key]]
        else:
            silent = bool(column.added.silent[comparison.added.index(key)].any())
        if silent:
            return None
        tries = comparison.candidate.tries.get(key, ())[:most]
        scores = [record.scores.get(self.case.name) for record in tries]
        return [score.value if score is not None else None for score in scores] or [None]

    def odds(
        self, key: str, before: Sequence[bool], steady: Steadiness | None, fails: int
    ) -> float | None:
        """Return how often one that never failed on main fails by luck; None where unknown."""
        if before and not self.case.scores.varies[self.rows[key]]:
            return 0.0  # it repeats
        return steady.fails(TRIES, fails) if before and steady is not None else None

    def decide(
        self, key: str, before: Sequence[bool], steady: Steadiness | None, flipping: int
    ) -> tuple[MustPassRow, RuleOutcome] | None:
        """Decide on one sample; None where the metric does not apply to it.

        Args:
            flipping: How many questions flip.
        """
        case, is_flip = self.case, flips(before)
        tries = FLIPS_TRIES if is_flip else TRIES
        scores = self.scores(key, tries)
        if scores is None:
            return None
        assert case.rule.pass_at is not None
        scored = [value for value in scores if value is not None]
        passed = int(self.passing(np.array(scored, dtype=float)).sum())
        failed, unknown = len(scored) - passed, len(scores) - len(scored)
        fails = _misses(len(scored), before, flipping)
        # Of one that flips a first pass is enough: what broke for good fails the first try as well.
        met = passed > 0 if is_flip else passed > min(failed + unknown, tries - fails)
        row = MustPassRow(
            sample_id=key,
            metric=case.name,
            pass_at=case.rule.pass_at,
            tries=len(scores),
            failed=failed,
            met=met and not (is_flip and failed >= fails),
            eligible=all(before) or is_flip,
            false_red=FLIPS_ERROR / flipping if is_flip else self.odds(key, before, steady, fails),
            scores=tuple(scores),
            of_tries=tries,
            fails=fails,
            failed_before=len(before) - sum(before),
            runs_before=len(before),
        )
        return row, _meaning(case, row, unknown)


def _meaning(case: MetricCase, row: MustPassRow, unknown: int) -> RuleOutcome:
    if row.met:
        return RuleOutcome()
    subject = f"must-pass {row.sample_id}: {case.name}"
    tries = count(row.tries, "try").replace("trys", "tries")
    if row.missed:
        mark = number(row.pass_at)
        reason = f"{subject} missed its pass mark {mark} in {row.failed} of {tries}"
        if row.flips:
            reason = f"{reason}; it flips by itself in {row.failed_before} of {row.runs_before}"
        if row.eligible:
            return RuleOutcome(red=(reason,))
        return RuleOutcome(warnings=(f"{reason}; it failed in the baseline as well",))
    if row.flips and not unknown:
        seen = f"flips by itself in {row.failed_before} of {row.runs_before}"
        return RuleOutcome(warnings=(f"{subject}: failed {row.failed} of {tries}, and {seen}",))
    missing = f"{unknown} unscored" if unknown else f"{row.failed} failed"
    reason = f"{subject}: {missing} in {tries}, and {row.of_tries} are needed to tell"
    return RuleOutcome(undecided=(reason,))


def _missing_tries(case: MetricCase, comparison: Comparison, row: MustPassRow) -> int:
    """Tries still to make: none once it is settled, or the input repeats byte for byte."""
    repeats = case.column is not None and case.column.declared
    if repeats and case.info.reads is not Reads.RUN:
        outputs = {r.output_hash for r in comparison.candidate.tries.get(row.sample_id, ())}
        if len(outputs) == 1:
            return 0
    if row.flips:  # until it passes, or fails too often
        return 0 if row.met or row.missed or row.tries >= row.of_tries else 1
    passed = row.tries - row.failed - sum(score is None for score in row.scores)
    to_fail = row.fails - row.failed
    to_pass = row.of_tries - row.fails + 1 - passed
    return max(0, min(row.of_tries - row.tries, to_fail, to_pass))
