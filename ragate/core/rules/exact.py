"""Metrics without noise: what repeats exactly and differs was changed; a net loss is red.

The change is certain, its cause may still be neutral: of reworded answers about as many gain as
lose. So beyond a few changed scores the loss has to stand out from random signs. So has one that
rests on samples whose change is not proven yet: these are asked again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.repeating_samples import UNPROVEN
from ragate.core.rules.metric_case import (
    MetricCase,
    RuleOutcome,
    blank_row,
    settled,
    without_value,
)
from ragate.core.rules.metric_family import allowed_drop, seed_of
from ragate.core.rules.not_comparable import usable_cases
from ragate.core.statistics.looks import confirmed_level, fast_level
from ragate.core.statistics.permutation import DRAWS, flip, step_down
from ragate.core.statistics.score_columns import (
    SLACK,
    Floats,
    Mask,
    row_means,
    sums_by_unit,
)
from ragate.core.text.wording import moved, number, odds
from ragate.models import DecisionSettings, Direction, MetricRow, MetricVerdict

HALF = 0.5  # of one sample's range: a full loss that stands alone is always red
YELLOW = 0.05  # how rare a slice's loss must be by luck to be shown as one


def decide_exact(
    cases: Sequence[MetricCase], comparison: Comparison, settings: DecisionSettings
) -> dict[str, RuleOutcome]:
    """Decide on the metrics that carry no noise; those that gate are tested together."""
    usable, outcomes = usable_cases(cases, settings)
    lost = {case.name: one for case in usable if (one := _lost(case))}
    chances = _chances(lost, comparison)
    for case in usable:
        if case.name in lost:
            tested = replace(lost[case.name], chance=chances.get(case.name, 1.0))
            outcomes[case.name] = _outcome(tested, settings.alpha)
        else:
            outcomes[case.name] = without_value(case)
    return outcomes


def unproven_samples(cases: Sequence[MetricCase]) -> list[str]:
    """Return the samples with another score of which too few passes show that they repeat."""
    exact = [case for case in cases if case.gates and case.column and case.column.exact]
    lost = filter(None, map(_lost, exact))
    return list(
        dict.fromkeys(key for one in lost for key in one.case.comparison.ids_of(one.unproven))
    )


@dataclass(frozen=True)
class _Lost:
    """How one metric's scores moved, on [0, 1], higher is better, beside what its rule allows.

    Attributes:
        before, after: (samples,) means of those with a value on both sides, the ones that vary
            within a side included.
        changes: (matched samples,) candidate minus baseline of those that repeat; 0 elsewhere.
        unproven: (matched samples,) True where another score rests on an unproven output.
        least_tested: Changed scores, at most, that need no test.
        in_vain: Unproven ones that failed whenever they were asked again.
        chance: Adjusted mid-p of the loss under random signs.
    """

    case: MetricCase
    before: Floats
    after: Floats
    changes: Floats
    unproven: Mask
    least_tested: int
    in_vain: int
    chance: float = 1.0

    @property
    def drop(self) -> float:
        """Net loss of the mean by the samples that repeat; negative where they gained."""
        return -float(self.changes.sum()) / len(self.before)

    @property
    def changed(self) -> int:
        """Samples that repeat and whose score is another."""
        return int((abs(self.changes) > SLACK).sum())

    @property
    def limit(self) -> float:
        """Net loss of the mean that is allowed, on [0, 1]."""
        limit = self.case.rule.max_drop
        if limit is not None:
            return limit / self.case.scores.span
        return HALF / len(self.before)

    @property
    def rests_on_unproven(self) -> bool:
        """Whether what is proven is no loss beyond the limit; an unproven gain counts."""
        proven = np.where(self.unproven, self.changes.clip(0.0), self.changes)
        return bool(self.unproven.any()) and replace(self, changes=proven).is_allowed

    @property
    def is_allowed(self) -> bool:
        return self.drop <= self.limit + SLACK

    @property
    def needs_test(self) -> bool:
        return not self.is_allowed and self.changed > self.few

    @property
    def few(self) -> int:
        """Changed scores that need no test; among many small slices three bad ones are luck."""
        return 0 if self.case.slice or self.doubt else self.least_tested

    @property
    def doubt(self) -> str:
        """Why it is provisional that the system repeats; "" where it does."""
        return UNPROVEN if self.rests_on_unproven else ""

    def verdict(self, level: float) -> MetricVerdict:
        if not self.is_allowed and (not self.needs_test or self.chance <= level):
            return MetricVerdict.REGRESSED
        if not self.is_allowed and self.is_worth_a_look:
            return MetricVerdict.WORSE_HERE
        if not self.changed:
            return MetricVerdict.UNCHANGED
        return MetricVerdict.IMPROVED if self.drop < -SLACK else MetricVerdict.HELD

    @property
    def is_worth_a_look(self) -> bool:
        """Whether a loss beyond the limit is yellow although it could be luck."""
        rule = self.case.rule
        if self.case.slice:
            return self.chance <= YELLOW
        if rule.max_drop is not None or (self.doubt and self.changed <= self.least_tested):
            return True
        of_noisy = allowed_drop(rule, self.case.info, self.case.scores.span)
        return self.drop >= of_noisy - SLACK


def _outcome(lost: _Lost, alpha: float) -> RuleOutcome:
    """Return the metric's row, and what it means for the gate.

    A loss that would be red, were all of it proven, names the samples to ask again.
    """
    row = _row(lost, _level(lost, alpha))
    if (outcome := settled(lost.case, row)) is not None:
        return outcome
    if row.verdict is not MetricVerdict.WORSE_HERE:
        return RuleOutcome(row)
    proven = replace(lost, unproven=np.zeros_like(lost.unproven))
    would_be_red = proven.verdict(alpha) is MetricVerdict.REGRESSED
    if would_be_red and lost.in_vain:
        reason = f"{row.reason}; asked again, {lost.in_vain} of the changed outputs failed"
        return RuleOutcome(row, undecided=(reason,))
    again = tuple(lost.case.comparison.ids_of(lost.unproven)) if would_be_red else ()
    remedies = ("ragate collect",) if again else ()
    return RuleOutcome(row, warnings=(row.reason,), remedies=remedies, again=again)


def _lost(case: MetricCase) -> _Lost | None:
    """Return what one metric lost, None where no sample has a value on both sides."""
    column, repetition = case.scores, case.comparison.repetition
    before, after = (
        np.where(case.counted, row_means(column.scaled(side.values)), np.nan)
        for side in (column.baseline, column.candidate)
    )
    scored = np.isfinite(before) & np.isfinite(after)
    if not scored.any():
        return None
    changes = np.where(scored & ~column.varies, after - before, 0.0)
    moved = abs(changes) > SLACK
    unproven, in_vain = np.zeros_like(moved), 0
    part = repetition.of(case.info)
    if part is not None:
        unproven = moved & (part.asked < repetition.needed(case.info.reads, int(moved.sum())))
        in_vain = int((unproven & part.in_vain).sum())
    few = repetition.few(case.info.reads)
    return _Lost(case, before[scored], after[scored], changes, unproven, few, in_vain)


def _level(lost: _Lost, alpha: float) -> float:
    """Return how rare by random signs a loss is that is red: at first sight, or confirmed."""
    if lost.rests_on_unproven:
        return fast_level(alpha)
    return confirmed_level(alpha) if lost.unproven.any() else alpha


def _chances(lost: Mapping[str, _Lost], comparison: Comparison) -> dict[str, float]:
    """Return how often random signs lose as much, by metric, where a test decides.

    The samples are what is drawn, not the runs: it asks whether fresh questions would lose as well.
    With clusters whole clusters change their sign. Metrics that gate are tested together, each
    other one alone.
    """
    tested = {name for name, one in lost.items() if one.needs_test}
    gated = [name for name, one in lost.items() if one.case.gates]
    families = [gated] if tested & set(gated) else []
    families += [[name] for name in sorted(tested - set(gated))]
    chances: dict[str, float] = {}
    for names in families:
        changes = np.stack([lost[name].changes for name in names], axis=1)
        if comparison.clusters is not None:
            changes = sums_by_unit(changes, comparison.clusters)
        null = flip(changes, seed=seed_of(comparison), draws=DRAWS)
        chances.update(zip(names, step_down(null).tolist(), strict=True))
    return chances


def _row(lost: _Lost, level: float) -> MetricRow:
    case, scores, change = lost.case, lost.case.scores, lost.after - lost.before
    before, after = (scores.unit(float(side.mean())) for side in (lost.before, lost.after))
    verdict = lost.verdict(level)
    limit = lost.limit * scores.span
    return blank_row(case, verdict).amended(
        n=len(change),
        baseline=before,
        candidate=after,
        change=after - before,
        better=int((change > SLACK).sum()),
        worse=int((change < -SLACK).sum()),
        limit=limit,
        allowed=limit,
        provisional=bool(lost.doubt),
        reason=_reason(lost, verdict, moved(case.info, before, after), limit),
        mde_note=f"provisional: {lost.doubt}" if lost.doubt else "no noise: every change is seen",
    )


def _reason(lost: _Lost, verdict: MetricVerdict, movement: str, limit: float) -> str:
    if verdict is MetricVerdict.UNCHANGED:
        return "no sample's score changed"
    if verdict is MetricVerdict.IMPROVED:
        return movement
    higher = lost.case.info.direction is Direction.HIGHER
    is_open = lost.doubt and verdict is MetricVerdict.WORSE_HERE
    doubt = f"; provisional: {lost.doubt}" if is_open else ""
    if verdict is not MetricVerdict.REGRESSED and lost.needs_test:
        verb = "fell" if higher else "rose"
        fell = int((lost.changes < -SLACK).sum())
        counted = f"{fell} of {lost.changed} changed scores {verb}"
        return f"{movement}; {counted}, which chance alone does {odds(lost.chance)}{doubt}"
    return f"{movement}; {number(limit)} {'' if higher else 'more '}is allowed{doubt}"
