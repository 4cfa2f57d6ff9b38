"""What the judged metrics have in common: a criterion, and scores that a judge gives."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragate.core.judging.criteria import ALL_CRITERIA
from ragate.metrics._identity import NoSettings, base_name, fingerprint, no_cut_off, own_settings
from ragate.metrics._sample_metric import SampleMetric
from ragate.models import Direction, MetricInfo, Needs, Reads, Score, unscored
from ragate.protocols import MetricRequest, Pair

VERSION = 1


@dataclass(frozen=True)
class JudgedMetric:
    """A metric that only names what is asked of the judge.

    Attributes:
        criterion: The judge's word for it; a metric of this package is named as its criterion.
        checked: Of a metric on a part of an answer: the count of the samples that held it.
    """

    info: MetricInfo
    criterion: str
    state: dict[str, float] = field(default_factory=dict)
    checked: SampleMetric | None = None

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one unscored score a pair: there is no value without a judge."""
        return [unscored(self.info.name, "a judge gives these scores")] * len(pairs)


def judged_metric(request: MetricRequest, *, version: int = VERSION) -> JudgedMetric:
    """Return the metric of the criterion that has its name."""
    no_cut_off(request)
    settings = own_settings(request, NoSettings)
    criterion = ALL_CRITERIA[base_name(request)]
    info = MetricInfo(
        name=request.name,
        version=version,
        low=criterion.low,
        high=criterion.high,
        unit=criterion.unit,
        direction=Direction.LOWER if criterion.lower_is_better else Direction.HIGHER,
        reads=Reads.ANSWER,
        needs=Needs.JUDGE,
        fingerprint=fingerprint(request, version=version, settings=settings),
    )
    return JudgedMetric(info=info, criterion=criterion.name)
