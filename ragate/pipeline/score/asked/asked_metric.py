"""One metric that asks, and one question of it: equal outputs of equal samples share a score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ragate.core.hashing import content_hash, output_hash
from ragate.models import MetricInfo, Sample, Score, SystemOutput, unscored
from ragate.pipeline.score.asked.metric_scores import raised
from ragate.protocols import AskingMetric, EmbeddingMetric, Pair, Vector


@dataclass(frozen=True)
class AskedMetric:
    """Implements `ragate.protocols.Metric` by what was asked before.

    `scores` are by sample and output, as `key_of` names them.
    """

    asking: AskingMetric | EmbeddingMetric
    scores: dict[str, Score] = field(default_factory=dict)

    @property
    def info(self) -> MetricInfo:
        return self.asking.info

    @property
    def state(self) -> dict[str, float]:
        return self.asking.state

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        missing = unscored(self.info.name, "was not asked")
        return [self.scores.get(key_of(*pair), missing) for pair in pairs]


def key_of(sample: Sample, output: SystemOutput) -> str:
    """Return the identity of a score: equal outputs of equal samples share one."""
    return f"{content_hash(sample)} {output_hash(output)}"


@dataclass(frozen=True)
class OpenQuestion:
    """One score that is not there yet."""

    metric: AskedMetric
    key: str
    sample: Sample
    output: SystemOutput

    @property
    def of_vectors(self) -> bool:
        return isinstance(self.metric.asking, EmbeddingMetric)

    def settle(self, score: Score) -> None:
        self.metric.scores[self.key] = score

    def score(self, vectors: Mapping[str, Vector]) -> Score:
        """Return the score by vectors, of a metric that reads them."""
        try:
            asking = cast("EmbeddingMetric", self.metric.asking)
            return asking.score(self.sample, self.output, vectors)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a metric may be foreign code
            return raised(self.metric.info, error)
