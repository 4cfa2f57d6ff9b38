"""What can be said of one noisy metric, and in which words."""

from dataclasses import dataclass

from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.metric_family import THIS_SET
from ragate.core.rules.wording import count, moved, number, odds, points, worse_way
from ragate.core.statistics.looks import SUSPICIOUS
from ragate.core.statistics.score_columns import SLACK
from ragate.models import DecisionSettings, MetricVerdict

YELLOW = 0.05
RARE = 0.02


@dataclass(frozen=True)
class Figures:
    """One metric's figures on [0, 1], higher is better.

    Attributes:
        units: Independent units: samples or clusters.
        moved: Whether any sample's score changed.
        level: What p must reach to be proven.
        excluded: Whether a drop of `care` is ruled out at 5 %.
        beyond_margin: Whether the drop is proven to exceed the rule's margin.
        allowed, allowed_other: Smallest drop that counts, by the deciding and the other claim.
        shows: Smallest drop that shows in a change that rewords as much as this one; None: none.
        assumed: Whether that rests on noise that nobody measured.
        breaks: The same where the rest stays as it is; of a set that sees none, or a total
            one alone, what is allowed. None where that is not asked.
        decisive: Units of which a drop of this size would show; None where no set is large enough.
    """

    change: float
    units: int
    moved: bool
    p: float
    p_up: float
    p_other: float
    level: float
    beyond_margin: bool
    before: float
    after: float
    worse: int
    better: int
    interval: tuple[float, float]
    claim: str
    n: int
    allowed: float
    allowed_other: float
    shows: float | None = None
    assumed: bool = False
    breaks: float | None = None
    excluded: bool = False
    decisive: int | None = None

    @property
    def is_large_fall(self) -> bool:
        """Whether it fell by what this set is said to see, and that is hardly luck."""
        fell = self.breaks is not None and _reaches(self, self.breaks)
        return fell and self.p <= SUSPICIOUS


def verdict_of(figures: Figures, settings: DecisionSettings) -> MetricVerdict:
    """Return the verdict; red means proven, the two yellow ones mean look."""
    proven = figures.p <= figures.level
    if proven and _reaches(figures, figures.allowed) and figures.beyond_margin:
        return MetricVerdict.REGRESSED
    if proven or (_reaches(figures, figures.allowed_other) and figures.p_other <= YELLOW):
        return MetricVerdict.WORSE_HERE
    if figures.p_up <= settings.alpha:
        return MetricVerdict.IMPROVED
    if figures.is_large_fall:
        return MetricVerdict.CANNOT_TELL
    if figures.excluded and (1 - settings.care) ** figures.units <= RARE:
        return MetricVerdict.HELD
    return MetricVerdict.CANNOT_TELL


def _reaches(figures: Figures, allowed: float) -> bool:
    return -figures.change >= allowed - SLACK


def reason_of(
    case: MetricCase,
    verdict: MetricVerdict,
    figures: Figures,
    settings: DecisionSettings,
    before: float,
    after: float,
) -> str:
    """Say why, in one sentence; `before` and `after` are in the metric's own unit."""
    assert case.column is not None
    span = case.column.span
    movement = moved(case.info, before, after)
    if verdict is MetricVerdict.UNCHANGED:
        return "no output changed"
    if verdict in (MetricVerdict.REGRESSED, MetricVerdict.IMPROVED):
        p = figures.p if verdict is MetricVerdict.REGRESSED else figures.p_up
        return f"{movement}; an unchanged system does this {odds(p)}"
    if verdict is MetricVerdict.WORSE_HERE:
        return f"{movement}; {_worse_here(case, figures, span)}"
    if verdict is MetricVerdict.HELD:
        bad = worse_way(case.info)
        return f"{movement}; a {bad} of {number(settings.care * span)} or more can be ruled out"
    if figures.is_large_fall:
        return f"{movement}; {_undecided(figures)}"
    return f"{movement}; {_blind(case, figures.shows)}"


def _worse_here(case: MetricCase, figures: Figures, span: float) -> str:
    bad = worse_way(case.info)
    if figures.p > figures.level:
        if figures.claim == THIS_SET:
            return "new questions like these may get worse; on these very samples it is not proven"
        return "worse on these very samples; that new questions get worse is not proven"
    if not _reaches(figures, figures.allowed):
        return f"proven, but smaller than {number(figures.allowed * span)}, from where on it counts"
    return f"a {bad} is proven, but not one of more than `margin` {number(case.rule.margin)}"


def _undecided(figures: Figures) -> str:
    """Say that a fall may be real or luck, and what would tell."""
    chance = f"CANNOT TELL: an unchanged system does this {odds(figures.p)}"
    if figures.decisive is None:
        return f"{chance}, and no set of this noise would show it"
    if figures.decisive <= figures.units:
        return f"{chance}; `ragate check --runs 5` would decide it"
    noun = "cluster" if figures.units < figures.n else "question"
    return f"{chance}; about {count(figures.decisive, noun)} would show a fall of this size"


def _blind(case: MetricCase, shows: float | None) -> str:
    bad = worse_way(case.info)
    if shows is None:
        return f"too few samples to show any {bad}"
    return f"only {bad}s of {points(shows)} or more show here"
