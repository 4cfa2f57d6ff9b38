"""Metrics without noise: what repeats exactly and differs was changed; a net loss is red.

The change is certain, its cause may still be neutral: of reworded answers about as many gain as
lose. So beyond a few changed scores the loss has to stand out from random signs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.allowance import allowed_drop
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row, worst_case
from ragate.core.rules.metric_family import GENERALISE, THIS_SET
from ragate.core.rules.net_loss import NetLoss, net_loss, sign_chances
from ragate.core.rules.not_comparable import usable_cases
from ragate.core.rules.wording import count, moved, number, odds
from ragate.core.statistics.score_columns import SLACK
from ragate.models import DecisionSettings, Direction, MetricRow, MetricVerdict

HALF = 0.5  # of one sample's range: a full loss that stands alone is always red
FEW = 4  # changed scores that need no test
YELLOW = 0.05  # how rare a slice's loss must be by luck to be shown as one


def decide_exact(
    cases: Sequence[MetricCase], comparison: Comparison, settings: DecisionSettings
) -> dict[str, RuleOutcome]:
    """Decide on the metrics that carry no noise; those that gate are tested together."""
    usable, outcomes = usable_cases(cases, comparison, settings)
    rows = _rows(usable, comparison, settings)
    filled = [_filled(case) if case.gates else case for case in usable]
    missing = [before is not after for before, after in zip(usable, filled, strict=True)]
    worst = _rows(filled, comparison, settings) if any(missing) else rows
    for case, row, worst_row, fills in zip(usable, rows, worst, missing, strict=True):
        hidden = fills and worst_row.verdict is MetricVerdict.REGRESSED
        outcomes[case.name] = _outcome(case, row, hides=hidden)
    return outcomes


def _filled(case: MetricCase) -> MetricCase:
    """Fill what is missing with the worst; it counts as repeating: no other rule sees it."""
    worst = worst_case(case)
    if worst is None or worst.column is None or worst.column.varies is None:
        return worst or case
    assert case.column is not None
    missing = case.column.baseline.unscored.any(axis=1)
    missing |= case.column.candidate.unscored.any(axis=1)
    return replace(worst, column=replace(worst.column, varies=worst.column.varies & ~missing))


def _outcome(case: MetricCase, row: MetricRow, *, hides: bool) -> RuleOutcome:
    if row.verdict is MetricVerdict.NOT_MEASURED:
        return RuleOutcome(row, undecided=(row.reason,) if case.gates else ())
    if not case.gates:
        return RuleOutcome(row)
    if row.verdict is MetricVerdict.REGRESSED:
        return RuleOutcome(row.amended(blocks=True), red=(row.reason,))
    if hides:
        missing = count(row.unscored_baseline + row.unscored_candidate, "unscored sample")
        reason = f"{case.name}: {missing} could hide a {number(row.limit or 0.0)} drop"
        return RuleOutcome(row, undecided=(reason,))
    yellow = row.verdict is MetricVerdict.WORSE_HERE
    return RuleOutcome(row, warnings=(row.reason,) if yellow else ())


def _rows(
    cases: Sequence[MetricCase], comparison: Comparison, settings: DecisionSettings
) -> list[MetricRow]:
    losses = {case.name: loss for case in cases if (loss := net_loss(case)) is not None}
    chances = _chances([case for case in cases if case.name in losses], losses, comparison)
    rows = []
    for case in cases:
        loss = losses.get(case.name)
        if loss is None:
            reason = f"{case.name} has no value on both sides"
            rows.append(blank_row(case, MetricVerdict.NOT_MEASURED, reason))
        else:
            rows.append(_row(_Lost(case, loss, chances.get(case.name, 1.0)), settings))
    return rows


def _chances(
    cases: Sequence[MetricCase], losses: Mapping[str, NetLoss], comparison: Comparison
) -> dict[str, float]:
    """Return how often random signs lose as much, by metric, where a test decides."""
    tested = {case.name for case in cases if _Lost(case, losses[case.name]).needs_test}
    gated = [case.name for case in cases if case.gates]
    chances = {}
    if tested & set(gated):
        together = sign_chances([losses[name] for name in gated], comparison)
        chances = dict(zip(gated, together, strict=True))
    for name in sorted(tested - set(gated)):  # shown only: tested alone
        (chances[name],) = sign_chances([losses[name]], comparison)
    return chances


@dataclass(frozen=True)
class _Lost:
    """One metric's net loss beside what its rule allows.

    Attributes:
        chance: Adjusted mid-p of the loss under random signs.
    """

    case: MetricCase
    loss: NetLoss
    chance: float = 1.0

    @property
    def span(self) -> float:
        assert self.case.column is not None
        return self.case.column.span

    @property
    def limit(self) -> float:
        """Net loss of the mean that is allowed, on [0, 1]."""
        limit = self.case.rule.max_drop
        return HALF / self.loss.n if limit is None else limit / self.span

    @property
    def is_allowed(self) -> bool:
        return self.loss.drop <= self.limit + SLACK

    @property
    def needs_test(self) -> bool:
        return not self.is_allowed and self.loss.changed > self.few

    @property
    def few(self) -> int:
        """Changed scores that need no test; among many small slices three bad ones are luck."""
        return 0 if self.case.slice else FEW

    def verdict(self, settings: DecisionSettings) -> MetricVerdict:
        # On this set the loss is certain: only whether fresh questions share it is a test's matter.
        # Asked for it counts alone: with `auto`, equal fingerprints and other outputs mean that
        # something unseen changed, which may be neutral.
        certain = self.loss.changed <= self.few or settings.claim == THIS_SET
        if not self.is_allowed and (certain or self.chance <= settings.alpha):
            return MetricVerdict.REGRESSED
        if not self.is_allowed and self.is_worth_a_look(settings):
            return MetricVerdict.WORSE_HERE
        if not self.loss.changed:
            return MetricVerdict.UNCHANGED
        return MetricVerdict.IMPROVED if self.loss.drop < -SLACK else MetricVerdict.HELD

    def is_worth_a_look(self, settings: DecisionSettings) -> bool:
        """Whether a loss beyond the limit is yellow although it could be luck."""
        rule = self.case.rule
        if self.case.slice:
            return self.chance <= YELLOW
        if rule.max_drop is not None:
            return True
        allowed = allowed_drop(rule, settings, claim=GENERALISE, span=self.span)
        return self.loss.drop >= allowed - SLACK


def _row(lost: _Lost, settings: DecisionSettings) -> MetricRow:
    case, loss = lost.case, lost.loss
    assert case.column is not None
    before, after = case.column.unit(loss.before), case.column.unit(loss.after)
    verdict = lost.verdict(settings)
    limit = lost.limit * lost.span
    return blank_row(case, verdict).amended(
        n=loss.n,
        baseline=before,
        candidate=after,
        change=after - before,
        better=loss.better,
        worse=loss.worse,
        limit=limit,
        allowed=limit,
        reason=_reason(lost, verdict, moved(case.info, before, after), limit),
        mde_note="no noise: every change is seen",
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
        return f"{movement}; {counted}, which chance alone does {odds(lost.chance)}"
    return f"{movement}; {number(limit)} {'' if higher else 'more '}is allowed"
