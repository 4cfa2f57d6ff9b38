"""Metrics without noise: what repeats exactly and differs was changed; a net loss is red.

The change is certain, its cause may still be neutral: of reworded answers about as many gain as
lose. So beyond a few changed scores the loss has to stand out from random signs. Where evidence
does not bear out that the system repeats, nothing is certain, and the signs alone decide. The same
holds for a loss that rests on single samples whose change is not proven.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.repeating_samples import UNPROVEN
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row
from ragate.core.rules.metric_family import GENERALISE, THIS_SET, allowed_drop, seed_of
from ragate.core.rules.not_comparable import usable_cases
from ragate.core.statistics.looks import confirmed_level, fast_level
from ragate.core.statistics.permutation import DRAWS, flip, step_down
from ragate.core.statistics.score_columns import (
    SLACK,
    Column,
    Floats,
    Mask,
    row_means,
    sums_by_unit,
)
from ragate.core.text.wording import moved, number, odds
from ragate.models import DecisionSettings, Direction, MetricRow, MetricVerdict

HALF = 0.5  # of one sample's range: a full loss that stands alone is always red
FEW = 4  # changed scores that need no test
RECORD_ANEW = "ragate baseline update"
YELLOW = 0.05  # how rare a slice's loss must be by luck to be shown as one


@dataclass(frozen=True)
class NetLoss:
    """How one metric's scores moved, on [0, 1], higher is better.

    Attributes:
        n: Samples with a value on both sides, those that vary within a side included.
        before, after: Their means.
        worse, better: Samples whose score fell or rose.
        changes: (matched samples,) candidate minus baseline of those that repeat; 0 elsewhere.
    """

    n: int
    before: float
    after: float
    worse: int
    better: int
    changes: Floats

    @property
    def drop(self) -> float:
        """Net loss of the mean by the samples that repeat; negative where they gained."""
        return -float(self.changes.sum()) / self.n

    @property
    def fell(self) -> int:
        """Samples that repeat and whose score fell."""
        return int((self.changes < -SLACK).sum())

    @property
    def changed(self) -> int:
        """Samples that repeat and whose score is another."""
        return int((abs(self.changes) > SLACK).sum())


def net_loss(case: MetricCase) -> NetLoss | None:
    """Return what one metric lost, None where no sample has a value on both sides."""
    column = case.scores
    before, after = (
        np.where(case.counted, row_means(column.scaled(side.values)), np.nan)
        for side in (column.baseline, column.candidate)
    )
    scored = np.isfinite(before) & np.isfinite(after)
    if not scored.any():
        return None
    change = np.where(scored, after - before, 0.0)
    steady = scored if column.varies is None else scored & ~column.varies
    return NetLoss(
        n=int(scored.sum()),
        before=float(before[scored].mean()),
        after=float(after[scored].mean()),
        worse=int((change < -SLACK).sum()),
        better=int((change > SLACK).sum()),
        changes=np.where(steady, change, 0.0),
    )


def sign_chances(losses: Sequence[NetLoss], comparison: Comparison) -> list[float]:
    """Return each metric's mid-p under random signs, adjusted for all of them together.

    The samples are what is drawn, not the runs: it asks whether fresh questions would lose as well.
    With clusters whole clusters change their sign.
    """
    changes = np.stack([loss.changes for loss in losses], axis=1)
    if comparison.clusters is not None:
        changes = sums_by_unit(changes, comparison.clusters)
    null = flip(changes, seed=seed_of(comparison), draws=DRAWS)
    return [float(p) for p in step_down(null)]


def decide_exact(
    cases: Sequence[MetricCase], comparison: Comparison, settings: DecisionSettings
) -> dict[str, RuleOutcome]:
    """Decide on the metrics that carry no noise; those that gate are tested together."""
    usable, outcomes = usable_cases(cases, comparison, settings)
    rows = _rows(usable, comparison, settings)
    return outcomes | {
        c.name: _outcome(c, row, comparison) for c, row in zip(usable, rows, strict=True)
    }


@dataclass(frozen=True)
class _Lost:
    """One metric's net loss beside what its rule allows.

    Attributes:
        unproven: (matched samples,) True where another score rests on an unproven output.
        chance: Adjusted mid-p of the loss under random signs.
    """

    case: MetricCase
    loss: NetLoss
    unproven: Mask
    settings: DecisionSettings
    chance: float = 1.0

    @property
    def column(self) -> Column:
        return self.case.scores

    @property
    def limit(self) -> float:
        """Net loss of the mean that is allowed, on [0, 1]."""
        limit = self.case.rule.max_drop
        if limit is not None:
            return limit / self.column.span
        half = HALF / self.loss.n
        return min(half, self.noisy_limit) if self.column.doubt else half

    @property
    def noisy_limit(self) -> float:
        """What is allowed of a metric that nobody declared to repeat."""
        return allowed_drop(self.case.rule, self.settings, claim=GENERALISE, span=self.column.span)

    @property
    def rests_on_unproven(self) -> bool:
        """Whether what is proven is no loss beyond the limit; an unproven gain counts."""
        changes = self.loss.changes
        proven = replace(self.loss, changes=np.where(self.unproven, changes.clip(0.0), changes))
        return bool(self.unproven.any()) and proven.drop <= self.limit + SLACK

    @property
    def is_allowed(self) -> bool:
        return self.loss.drop <= self.limit + SLACK

    @property
    def needs_test(self) -> bool:
        return not self.is_allowed and self.loss.changed > self.few

    @property
    def few(self) -> int:
        """Changed scores that need no test; among many small slices three bad ones are luck."""
        return 0 if self.case.slice or self.doubt else FEW

    @property
    def doubt(self) -> str:
        """Why it is provisional that the system repeats; "" where it does."""
        return self.column.doubt or (UNPROVEN if self.rests_on_unproven else "")

    def verdict(self, level: float) -> MetricVerdict:
        # On this set the loss is certain: only whether fresh questions share it is a test's matter.
        # Asked for it counts alone: with `auto`, equal fingerprints and other outputs mean that
        # something unseen changed, which may be neutral.
        on_set = self.settings.claim == THIS_SET and not self.doubt
        certain = not self.needs_test or on_set
        if not self.is_allowed and (certain or self.chance <= level):
            return MetricVerdict.REGRESSED
        if not self.is_allowed and self.is_worth_a_look:
            return MetricVerdict.WORSE_HERE
        if not self.loss.changed:
            return MetricVerdict.UNCHANGED
        return MetricVerdict.IMPROVED if self.loss.drop < -SLACK else MetricVerdict.HELD

    @property
    def is_worth_a_look(self) -> bool:
        """Whether a loss beyond the limit is yellow although it could be luck."""
        rule = self.case.rule
        if self.case.slice:
            return self.chance <= YELLOW
        if rule.max_drop is not None or (self.doubt and self.loss.changed <= FEW):
            return True
        return self.loss.drop >= self.noisy_limit - SLACK


def _outcome(case: MetricCase, row: MetricRow, comparison: Comparison) -> RuleOutcome:
    if row.verdict is MetricVerdict.NOT_MEASURED:
        return RuleOutcome(row, undecided=(row.reason,) if case.gates else ())
    if not case.gates:
        return RuleOutcome(row)
    if row.verdict is MetricVerdict.REGRESSED:
        return RuleOutcome(row.amended(blocks=True), red=(row.reason,))
    if row.verdict is not MetricVerdict.WORSE_HERE:
        return RuleOutcome(row)
    unseen = comparison.repetition.unseen
    anew = unseen and case.column is not None and case.column.doubt == unseen
    return RuleOutcome(row, warnings=(row.reason,), remedies=(RECORD_ANEW,) if anew else ())


def _rows(
    cases: Sequence[MetricCase], comparison: Comparison, settings: DecisionSettings
) -> list[MetricRow]:
    lost = {case.name: one for case in cases if (one := _lost(case, comparison, settings))}
    chances = _chances(lost, comparison)
    rows = []
    for case in cases:
        if case.name not in lost:
            reason = f"{case.name} has no value on both sides"
            rows.append(blank_row(case, MetricVerdict.NOT_MEASURED, reason))
        else:
            tested = replace(lost[case.name], chance=chances.get(case.name, 1.0))
            rows.append(_row(tested, _level(tested, comparison, settings.alpha)))
    return rows


def _lost(case: MetricCase, comparison: Comparison, settings: DecisionSettings) -> _Lost | None:
    loss, part = net_loss(case), comparison.repetition.of(case.info)
    if loss is None:
        return None
    unproven = np.zeros(len(loss.changes), bool) if part is None else part.unproven
    return _Lost(case, loss, unproven & (abs(loss.changes) > SLACK), settings)


def _level(lost: _Lost, comparison: Comparison, alpha: float) -> float:
    """Return how rare by random signs a loss is that is red: at first sight, or confirmed."""
    if comparison.repetition.recordings:  # there is but one look
        return alpha
    if lost.rests_on_unproven:
        return fast_level(alpha)
    return confirmed_level(alpha) if lost.doubt or lost.unproven.any() else alpha


def _chances(lost: Mapping[str, _Lost], comparison: Comparison) -> dict[str, float]:
    """Return how often random signs lose as much, by metric, where a test decides."""
    tested = {name for name, one in lost.items() if one.needs_test}
    gated = [name for name, one in lost.items() if one.case.gates]
    chances = {}
    if tested & set(gated):
        together = sign_chances([lost[name].loss for name in gated], comparison)
        chances = dict(zip(gated, together, strict=True))
    for name in sorted(tested - set(gated)):  # shown only: tested alone
        (chances[name],) = sign_chances([lost[name].loss], comparison)
    return chances


def _row(lost: _Lost, level: float) -> MetricRow:
    case, loss = lost.case, lost.loss
    before, after = lost.column.unit(loss.before), lost.column.unit(loss.after)
    verdict = lost.verdict(level)
    limit = lost.limit * lost.column.span
    return blank_row(case, verdict).amended(
        n=loss.n,
        baseline=before,
        candidate=after,
        change=after - before,
        better=loss.better,
        worse=loss.worse,
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
    if verdict is not MetricVerdict.REGRESSED and lost.needs_test:
        verb = "fell" if higher else "rose"
        counted = f"{lost.loss.fell} of {lost.loss.changed} changed scores {verb}"
        doubt = f"; provisional: {lost.doubt}" if lost.doubt else ""
        return f"{movement}; {counted}, which chance alone does {odds(lost.chance)}{doubt}"
    return f"{movement}; {number(limit)} {'' if higher else 'more '}is allowed"
