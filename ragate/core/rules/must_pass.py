"""Must-pass samples: each must reach the pass mark, as often as its record on main lets expect.

One that never failed there is tried up to three times and fails when all miss, or two of them once
it passed thirty runs. One that failed and passed again *flips*: it is tried up to twelve times, and
fails only where so many misses are too rare for its record, over all that flip together.
"""

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.pass_columns import passing
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.rules.waivers import active
from ragate.core.statistics.looks import FLIPS_TRIES, TRIES
from ragate.core.statistics.must_pass_odds import Steadiness, steadiness, tail
from ragate.core.statistics.score_columns import Floats, Mask
from ragate.core.text.wording import count, number
from ragate.models import MustPassRow, Reads, Waiver

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
    waivers: Sequence[Waiver],
    today: datetime.date,
    record: Record | None = None,
) -> MustPass:
    """Decide on every sample that must pass.

    Args:
        record: Of runs before the baseline's.
    """
    marked = _marked(cases, comparison, waivers, today)
    known = [
        (each, key, each.before(key, record or {}))  # whether each run of main passed
        for each in marked
        for key in each.keys
    ]
    unsteady = {key: (sum(before), len(before)) for _, key, before in known if not all(before)}
    flipping = sum(flips(before) for _, _, before in known)
    rows: list[MustPassRow] = []
    outcomes: list[RuleOutcome] = []
    missing = 0
    for each, key, before in known:
        row = each.decide(key, before, flipping)
        if row is not None:
            rows.append(row)
            outcomes.append(_meaning(row))
            missing = max(missing, each.missing_tries(row))
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


@dataclass(frozen=True)
class _Marked:
    """A metric with a pass mark that gates, and the samples that must reach it.

    Attributes:
        rows: Of the matched samples, by id.
    """

    case: MetricCase
    mark: float
    rows: Mapping[str, int]
    keys: Sequence[str]

    def passing(self, values: Floats) -> Mask:
        return passing(self.case.info, self.mark, values)

    def before(self, key: str, record: Record) -> list[bool]:
        """Whether each run of main passed; empty for a sample the baseline does not have."""
        column = self.case.column
        if column is None or column.problem or key not in self.rows:
            return []
        values = column.recorded.values[self.rows[key]]
        earlier = record.get((key, self.case.name), ())
        recorded = list(map(bool, self.passing(values[np.isfinite(values)])))
        runs = (
            self.case.comparison.baseline.repeats if len(recorded) == 1 else 1
        )  # equal ones are one
        return [*earlier, *recorded * runs]

    @cached_property
    def steadiness(self) -> Steadiness | None:
        """How steady the baseline's runs of these samples are, without what repeats."""
        column = self.case.column
        if column is None or column.problem:
            return None
        rows = [self.rows[key] for key in self.keys if key in self.rows]
        values = column.recorded.values[[row for row in rows if column.varies[row]]]
        return steadiness(self.passing(values[np.isfinite(values).all(axis=1)]))

    def scores(self, key: str, most: int) -> list[float | None] | None:
        """Return one value for each of so many tries; None where the metric does not apply."""
        column, comparison = self.case.column, self.case.comparison
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

    def odds(self, key: str, before: Sequence[bool], fails: int) -> float | None:
        """Return how often one that never failed on main fails by luck; None where unknown."""
        if before and not self.case.scores.varies[self.rows[key]]:
            return 0.0  # it repeats
        if not before or self.steadiness is None:
            return None
        return self.steadiness.fails(TRIES, fails)

    def decide(self, key: str, before: Sequence[bool], flipping: int) -> MustPassRow | None:
        """Decide on one sample; None where the metric does not apply to it.

        Args:
            flipping: How many questions flip.
        """
        is_flip = flips(before)
        tries = FLIPS_TRIES if is_flip else TRIES
        scores = self.scores(key, tries)
        if scores is None:
            return None
        scored = [value for value in scores if value is not None]
        passed = int(self.passing(np.array(scored, dtype=float)).sum())
        failed = len(scored) - passed
        fails = _misses(len(scored), before, flipping)
        if is_flip:
            # A first pass is enough: what broke for good fails the first try as well.
            met = passed > 0 and failed < fails
        else:
            not_passed = len(scores) - passed
            met = passed > min(not_passed, tries - fails)
        return MustPassRow(
            sample_id=key,
            metric=self.case.name,
            pass_at=self.mark,
            tries=len(scores),
            failed=failed,
            met=met,
            eligible=all(before) or is_flip,
            false_red=FLIPS_ERROR / flipping if is_flip else self.odds(key, before, fails),
            scores=tuple(scores),
            of_tries=tries,
            fails=fails,
            failed_before=len(before) - sum(before),
            runs_before=len(before),
        )

    def missing_tries(self, row: MustPassRow) -> int:
        """Tries still to make: none once it is settled, or the input repeats byte for byte."""
        repeats = self.case.column is not None and self.case.column.declared
        if repeats and self.case.info.reads is not Reads.RUN:
            tries = self.case.comparison.candidate.tries.get(row.sample_id, ())
            if len({record.output_hash for record in tries}) == 1:
                return 0
        if row.flips:  # until it passes, or fails too often
            return 0 if row.met or row.missed or row.tries >= row.of_tries else 1
        passed = row.tries - row.failed - row.scores.count(None)
        to_fail = row.fails - row.failed
        to_pass = row.of_tries - row.fails + 1 - passed
        return max(0, min(row.of_tries - row.tries, to_fail, to_pass))


def _marked(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> list[_Marked]:
    """Return each metric with a pass mark that gates."""
    if comparison.all_failed:
        return []
    waived = active((*comparison.waivers, *waivers), today)
    samples = sorted(key for key, sample in comparison.samples.items() if sample.must_pass)
    rows = {key: row for row, key in enumerate(comparison.ids)} if samples else {}
    marked = []
    for case in cases if samples else ():
        mark = case.rule.pass_at
        if case.rule.gates and mark is not None and not case.info.aggregate:
            keys = [key for key in samples if (key, case.name) not in waived]
            marked.append(_Marked(case, mark, rows, keys))
    return marked


def _meaning(row: MustPassRow) -> RuleOutcome:
    if row.met:
        return RuleOutcome()
    subject = f"must-pass {row.sample_id}: {row.metric}"
    tries = count(row.tries, "try").replace("trys", "tries")
    unknown = row.scores.count(None)
    by_itself = f"flips by itself in {row.failed_before} of {row.runs_before}"
    if row.missed:
        mark = number(row.pass_at)
        reason = f"{subject} missed its pass mark {mark} in {row.failed} of {tries}"
        if row.flips:
            reason = f"{reason}; it {by_itself}"
        if row.eligible:
            return RuleOutcome(red=(reason,))
        return RuleOutcome(warnings=(f"{reason}; it failed in the baseline as well",))
    if row.flips and not unknown:
        warning = f"{subject}: failed {row.failed} of {tries}, and {by_itself}"
        return RuleOutcome(warnings=(warning,))
    missing = f"{unknown} unscored" if unknown else f"{row.failed} failed"
    reason = f"{subject}: {missing} in {tries}, and {row.of_tries} are needed to tell"
    return RuleOutcome(undecided=(reason,))
