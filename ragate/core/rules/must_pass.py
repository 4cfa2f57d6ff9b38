"""Must-pass samples: each must reach the pass mark, by default in two of three tries."""

import datetime
import math
from collections.abc import Iterator, Mapping, Sequence
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
        rows_of = {key: row for row, key in enumerate(comparison.ids)}
        marked = _Marked(case, comparison, settings, rows_of)
        steady, eligible = marked.steadiness(keys), 0
        for key in keys:
            before = marked.before(key)
            if not all(before):
                unsteady[key] = sum(before), len(before)
            decided = marked.decide(key, before, steady)
            if decided is None:
                continue
            row, meaning = decided
            rows.append(row)
            outcomes.append(meaning)
            missing = max(missing, _missing_tries(case, comparison, row))
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

    def passing(self, values: Floats) -> Mask:
        assert self.case.rule.pass_at is not None
        return passing(self.case.info, self.case.rule.pass_at, values)

    def before(self, key: str) -> list[bool]:
        """Whether each baseline run passed; empty for a sample the baseline does not have."""
        column = self.case.column
        if column is None or column.problem or key not in self.rows:
            return []
        values = column.recorded.values[self.rows[key]]
        return list(map(bool, self.passing(values[np.isfinite(values)])))

    def steadiness(self, keys: Sequence[str]) -> Steadiness | None:
        """Return how steady the baseline's runs of these samples are, without what repeats."""
        column = self.case.column
        if column is None or column.problem:
            return None
        rows = [self.rows[key] for key in keys if key in self.rows]
        values = column.recorded.values[[row for row in rows if column.varies[row]]]
        return steadiness(self.passing(values[np.isfinite(values).all(axis=1)]))

    def scores(self, key: str) -> list[float | None] | None:
        """Return one value a try; None where the metric does not apply to the sample."""
        column, comparison = self.case.column, self.comparison
        if column is None:
            return None
        if key in self.rows:
            silent = not column.applies[self.rows[key]]
        else:
            silent = bool(column.added.silent[comparison.added.index(key)].any())
        if silent:
            return None
        tries = comparison.candidate.tries.get(key, ())[: self.settings.tries]
        scores = [record.scores.get(self.case.name) for record in tries]
        return [score.value if score is not None else None for score in scores] or [None]

    def decide(
        self, key: str, before: Sequence[bool], steady: Steadiness | None
    ) -> tuple[MustPassRow, RuleOutcome] | None:
        """Decide on one sample; None where the metric does not apply to it."""
        case, scores = self.case, self.scores(key)
        if scores is None:
            return None
        assert case.rule.pass_at is not None
        tries, fails = self.settings.tries, self.settings.fails
        scored = [value for value in scores if value is not None]
        passed = int(self.passing(np.array(scored, dtype=float)).sum())
        failed, unknown = len(scored) - passed, len(scores) - len(scored)
        false_red = None if steady is None else steady.fails(tries, fails)
        if before and not case.scores.varies[self.rows[key]]:
            false_red = 0.0  # it repeats
        row = MustPassRow(
            sample_id=key,
            metric=case.name,
            pass_at=case.rule.pass_at,
            tries=len(scores),
            failed=failed,
            met=passed > min(failed + unknown, tries - fails),
            eligible=all(before),
            false_red=false_red if before else None,
            scores=tuple(scores),
            of_tries=tries,
            fails=fails,
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
        if row.eligible:
            return RuleOutcome(red=(reason,))
        return RuleOutcome(warnings=(f"{reason}; it failed in the baseline as well",))
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
    passed = row.tries - row.failed - sum(score is None for score in row.scores)
    to_fail = row.fails - row.failed
    to_pass = row.of_tries - row.fails + 1 - passed
    return max(0, min(row.of_tries - row.tries, to_fail, to_pass))
