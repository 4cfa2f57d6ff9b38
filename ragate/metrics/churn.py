"""Retrieval beside the baseline's ranking, without labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import Field

from ragate.core.hashing import content_hash
from ragate.core.judging.applicability import provider_failure
from ragate.core.ranking import ranked_doc_ids
from ragate.metrics._identity import (
    metric_info,
    no_cut_off,
    own_settings,
    required_cut_off,
    takes,
    unbounded_info,
)
from ragate.models import (
    Frozen,
    MetricInfo,
    Reads,
    Sample,
    Score,
    SystemOutput,
    not_applicable,
    unscored,
)
from ragate.protocols import EarlierRankings, MetricRequest, Pair

Ranking = Sequence[str]
Compared = Callable[[Ranking, Ranking], float | None]
"""From the baseline's ranking and the one of now, not both empty, to a value; None for none."""


@dataclass(frozen=True)
class ChurnMetric:
    """The mean of a comparison over the samples that the baseline has a ranking of."""

    info: MetricInfo
    earlier: EarlierRankings
    compared: Compared

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        """Return the mean; unscored without a baseline, and where one sample was not measured."""
        name = self.info.name
        if self.earlier.docs is None and not self.earlier.itself:
            return unscored(name, "there is no baseline to compare rankings with")
        outcomes = [self._outcome(*pair) for pair in pairs]
        missing = sorted(outcome for outcome in outcomes if isinstance(outcome, str))
        values = sorted(outcome for outcome in outcomes if isinstance(outcome, float))
        left_out = len(pairs) - len(values) - len(missing)
        if missing:
            lost = f"{len(missing)} of {len(missing) + len(values)} were not retrieved"
            beside = f", {left_out} left out" if left_out else ""
            return unscored(name, f"{lost}{beside}: {missing[0]}")
        if not values:
            return not_applicable(name, "the baseline has no ranking of these samples")
        reason = f"{left_out} of {len(pairs)} samples left out" if left_out else ""
        # Sorted, since a sum of floats in another order may differ in its last digit.
        return Score(metric=name, value=sum(values) / len(values), reason=reason)

    def _outcome(self, sample: Sample, output: SystemOutput) -> float | str | None:
        """Return the value, the reason why it is not known, or None for a sample left out."""
        before = self._before(sample, output)
        if before is None:
            return None
        if reason := provider_failure(output):
            return reason
        now = _ranking(output) or []
        return self.compared(before, now) if before or now else None

    def _before(self, sample: Sample, output: SystemOutput) -> Ranking | None:
        if self.earlier.docs is None:
            return _ranking(output)
        return self.earlier.docs.get(content_hash(sample))


def _ranking(output: SystemOutput) -> list[str] | None:
    """Return what was retrieved, whatever was answered; None where the system failed."""
    return ranked_doc_ids(output.chunks) if output.error is None else None


def overlap(request: MetricRequest) -> ChurnMetric:
    """Return overlap@k: how alike the first k documents are to the baseline's, whatever the order.

    Formula: mean over samples of |A and B| / |A or B|, A and B the first k documents of now and of
    the baseline (Jaccard). Range [0, 1], a fraction, higher is better, over the whole run.
    Version 1.
    Edge cases: nothing retrieved on one side, or the system failed now: 0. Left out: nothing
    retrieved on either side, a sample that the baseline does not hold or failed on. A provider's
    failure, or no baseline: unscored; while a baseline is recorded 1.
    Source: Jaccard's index of sets.
    """
    k = required_cut_off(request)
    info = metric_info(request, version=1, reads=Reads.RETRIEVAL).amended(aggregate=True)

    def jaccard(before: Ranking, now: Ranking) -> float:
        left, right = set(before[:k]), set(now[:k])
        return len(left & right) / len(left | right)

    return ChurnMetric(info, request.earlier, jaccard)


class RboSettings(Frozen):
    """Keys of rbo.

    Attributes:
        p: How much the next rank weighs beside the one before it: near 0 the first alone counts.
    """

    p: float = Field(default=0.9, gt=0, lt=1)


@takes(RboSettings)
def rbo(request: MetricRequest) -> ChurnMetric:
    """Return rbo: rank-biased overlap with the baseline's ranking, extrapolated.

    Formula: mean over samples of (1 - p) sum over depths d of p^(d-1) A_d, A_d the share of the
    first d documents that both rankings have; beyond the end of a ranking it is taken to go on as
    it did. Range [0, 1], a fraction, higher is better, over the whole run. Version 1.
    Edge cases: a ranking that is only cut short is 1, since what is missing is taken to agree;
    all others as for overlap@k.
    Source: RBO_EXT (equation 32) of Webber, Moffat and Zobel, A similarity measure for indefinite
    rankings, ACM Transactions on Information Systems 28(4), 2010.
    """
    no_cut_off(request)
    settings = own_settings(request, RboSettings)
    info = metric_info(request, version=1, reads=Reads.RETRIEVAL, settings=settings)

    def compared(before: Ranking, now: Ranking) -> float:
        return extrapolated_rbo(before, now, settings.p)

    return ChurnMetric(info.amended(aggregate=True), request.earlier, compared)


def extrapolated_rbo(one: Ranking, other: Ranking, p: float) -> float:
    """Return RBO_EXT of two rankings without repeats, in [0, 1]; 0 where one is empty.

    Args:
        p: In (0, 1).
    """
    short, long = sorted((one, other), key=len)
    if not short:
        return 0.0
    ends, depth = len(short), len(long)
    overlaps = _overlaps(short, long)
    at_end, at_depth = overlaps[ends - 1], overlaps[-1]
    seen = sum(overlap / d * p**d for d, overlap in enumerate(overlaps, start=1))
    taken = sum(at_end * (d - ends) / (ends * d) * p**d for d in range(ends + 1, depth + 1))
    rest = ((at_depth - at_end) / depth + at_end / ends) * p**depth
    return min(1.0, (1 - p) / p * (seen + taken) + rest)


def _overlaps(short: Ranking, long: Ranking) -> list[int]:
    """Return how many documents both have at every depth of the longer one."""
    overlaps: list[int] = []
    left: set[str] = set()
    right: set[str] = set()
    common = 0
    for d, doc_id in enumerate(long):
        right.add(doc_id)
        common += doc_id in left
        if d < len(short):
            left.add(short[d])
            common += short[d] in right
        overlaps.append(common)
    return overlaps


def first_hit_displacement(request: MetricRequest) -> ChurnMetric:
    """Return first_hit_displacement: by how many ranks the baseline's first document moved down.

    Formula: mean over samples of the rank of that document minus 1. Range [0, unbounded), ranks,
    lower is better, over the whole run. Version 1.
    Edge cases: no longer retrieved, or the system failed: it stands behind everything that was
    retrieved on the longer side, so it moved by as many ranks as that holds; the baseline retrieved
    nothing: left out; all others as for overlap@k, and while a baseline is recorded 0.
    Source: this project.
    """
    info = unbounded_info(request, reads=Reads.RETRIEVAL, unit="ranks", aggregate=True)
    return ChurnMetric(info, request.earlier, _displacement)


def _displacement(before: Ranking, now: Ranking) -> float | None:
    if not before:
        return None
    first = before[0]
    return float(now.index(first) if first in now else max(len(before), len(now)))
