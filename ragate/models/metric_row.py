"""One metric of the comparison, as it is shown."""

from typing import Literal

from ragate.models.base import Frozen
from ragate.models.policy import Level
from ragate.models.score import Direction
from ragate.models.verdict import MetricVerdict

_SLACK = 1e-9
_STEADY = (MetricVerdict.HELD, MetricVerdict.UNCHANGED, MetricVerdict.SHOWN)


class FloorResult(Frozen):
    """A floor (or ceiling) and whether the candidate's mean keeps it.

    Attributes:
        limit: The configured minimum or maximum.
        kind: ``point`` compares the mean, ``evidence`` the one-sided 95 % bound.
        bound: That bound, for ``evidence``.
        fails_at: The mean at which it would fail, for ``evidence``.
    """

    limit: float
    kind: Literal["point", "evidence"]
    met: bool
    bound: float | None = None
    fails_at: float | None = None


class PassShare(Frozen):
    """The share of samples that reach a metric's pass mark.

    Attributes:
        mark: The metric's `pass_at`, in its own unit.
        n: Samples that count.
        baseline, candidate: Shares over all runs; None where there is no value.
        interval: 95 % interval of the candidate's share.
    """

    mark: float
    n: int
    baseline: float | None = None
    candidate: float | None = None
    interval: tuple[float, float] | None = None


class PassGroup(Frozen):
    """The share of samples that pass in one part of a scorecard's run.

    Attributes:
        kind: ``stage``, ``tag``, or the metadata field whose value they share.
        name: The stage, the tag or the value.
        metric, weight, required: Of a stage.
    """

    kind: str
    name: str
    share: PassShare
    metric: str = ""
    weight: float | None = None
    required: bool = False


class MetricRow(Frozen):
    """One metric of the comparison, in its own unit; a change is signed, positive where it rose.

    Attributes:
        n: Samples that decide (a value on both sides, not waived).
        not_applicable: Samples that the metric cannot speak about, such as unjudged ones.
        baseline, candidate: Means over these samples and all runs.
        interval: 95 % interval of the change; None where nothing is estimated.
        exact: True for a deterministic metric: no noise, no test. provisional: the same, on the
            policy's word alone: only signs count.
        better, worse: Samples whose score rose or fell (in the good sense).
        limit: The largest drop that is not red, for deterministic metrics.
        allowed: The same for every compared metric; one with noise is red from there on, if the
            drop is proven as well.
        p: Adjusted p that fresh questions would get worse; p_here that these very ones did.
        mde: Smallest drop that this set and these runs show with 80 % power, in a change that
            rewords as much as this one.
        reason: Why this verdict, in one sentence.
        accepted: True where it would block, and a maintainer accepted that.
        checked: How many answers hold something that it checks, in the figures of a metric; None
            where their number is the same in all runs, or it checks all of each answer.
        checks_nothing: No answer of either side holds anything that it checks.
        pass_share: How many samples pass; None for a metric without a pass mark.
    """

    metric: str
    level: Level
    direction: Direction = Direction.HIGHER
    unit: str = "fraction"
    exact: bool = False
    aggregate: bool = False
    n: int = 0
    not_applicable: int = 0
    unscored_baseline: int = 0
    unscored_candidate: int = 0
    unscored_reasons: dict[str, int] = {}
    baseline: float | None = None
    candidate: float | None = None
    change: float | None = None
    interval: tuple[float, float] | None = None
    better: int = 0
    worse: int = 0
    verdict: MetricVerdict
    blocks: bool = False
    accepted: bool = False
    reason: str = ""
    limit: float | None = None
    allowed: float | None = None
    floor: FloorResult | None = None
    p: float | None = None
    p_here: float | None = None
    mde: float | None = None
    mde_note: str = ""
    pass_share: PassShare | None = None
    is_large_fall: bool = False
    checked: "MetricRow | None" = None
    checks_nothing: bool = False
    provisional: bool = False

    @property
    def unchecked(self) -> int:
        """Return how many answers hold nothing more for it to check, where that may be a fall."""
        count = self.checked
        if count is None or count.lost <= 0 or count.verdict in _STEADY:
            return 0
        shown_only = count.verdict is MetricVerdict.CANNOT_TELL and not count.gates
        return 0 if shown_only else count.worse

    @property
    def gates(self) -> bool:
        """Whether it can fail the gate."""
        return self.level == "error"

    @property
    def is_certain(self) -> bool:
        """Whether every change of it shows: it carries no noise, and evidence bears that out."""
        return self.exact and not self.provisional

    @property
    def may_be_real(self) -> bool:
        """Whether it is yellow for a fall that more evidence would make red, or clear."""
        return self.is_large_fall or (
            not self.is_certain and self.loses_beyond_limit and not self.blocks
        )

    @property
    def rated(self) -> str:
        """Return the metric whose pass rate this is a row of, "" where it is none."""
        return rated_metric(self.metric)

    @property
    def key(self) -> str:
        """Return the name that a reader tells it by, and accepts its drop by."""
        return self.metric

    @property
    def lost(self) -> float:
        """Return how far the mean went the bad way; negative where it went the good one."""
        change = self.change or 0.0
        return -change if self.direction is Direction.HIGHER else change

    @property
    def has_fallen(self) -> bool:
        """Whether the interval shows that the mean went the bad way."""
        low, high = self.interval or (0.0, 0.0)
        return high < 0 if self.direction is Direction.HIGHER else low > 0

    @property
    def loses_beyond_limit(self) -> bool:
        """Whether a metric without noise lost more than is allowed, whatever the cause may be."""
        return self.exact and self.limit is not None and self.lost > self.limit + _SLACK


class SliceRow(MetricRow):
    """One metric on one slice of the golden set.

    Attributes:
        slice: The slice's name.
        conditions: What its samples fit.
        samples: How many of the matched samples are in it.
        too_few: True where so few count that it is shown only, although the policy would gate it.
    """

    slice: str
    conditions: tuple[str, ...] = ()
    samples: int = 0
    too_few: bool = False

    @property
    def key(self) -> str:
        """Return ``billing:correctness``."""
        return slice_key(self.slice, self.metric)


def slice_key(name: str, metric: str) -> str:
    """Return what one metric of one slice is called."""
    return f"{name}:{metric}"


_SHARE = ".pass"


def pass_name(metric: str) -> str:
    """Return what the share of samples that pass is called, as a metric of its own."""
    return metric + _SHARE


def rated_metric(name: str) -> str:
    """Return the metric that a name is the pass rate of, "" where it is none."""
    return name.removesuffix(_SHARE) if name.endswith(_SHARE) else ""
