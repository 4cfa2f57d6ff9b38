"""min_retrieval_score: was something retrieved with a score that is high enough?"""

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import Field

from ragate.metrics._identity import own_settings
from ragate.metrics.checks._check import Check, Finding, Unmeasured, check_metric
from ragate.models import Frozen, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

_OF: dict[str, Callable[[Sequence[float]], float]] = {
    "best": max,
    "all": min,
    "mean": lambda scores: sum(scores) / len(scores),
}
NO_SCORES = "the retrieved chunks carry no scores"


class Settings(Frozen):
    """Keys of min_retrieval_score.

    Attributes:
        threshold: Score that has to be reached, in the retriever's own unit.
        of: Which score: ``best``, ``mean``, or that of ``all`` chunks.
    """

    threshold: float | None = Field(default=None, allow_inf_nan=False)
    of: Literal["best", "mean", "all"] = "best"


def create(request: MetricRequest) -> Check:
    """Return min_retrieval_score: 1 where the retrieval's score reaches the threshold, else 0.

    Formula: 1[max over chunks of their score >= threshold]; the mean or the minimum in its place
    with of = "mean" or "all". Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved: 0; a chunk without a score: unscored; without a threshold a
    policy cannot name it, since retrievers have no scale in common; unanswerable: not applicable.
    Source: this project.
    """
    settings = own_settings(request, Settings)
    threshold = settings.threshold
    if threshold is None:
        lacks = f'{request.name} has no threshold: set it in [policy.metrics."{request.name}"]'
        return check_metric(
            request,
            lambda _sample, _output: Unmeasured(lacks),
            reads=Reads.RETRIEVAL,
            settings=settings,
            unusable=lacks,
        )

    def low(_sample: Sample, output: SystemOutput) -> Finding:
        scores = [chunk.score for chunk in output.chunks if chunk.score is not None]
        if not output.chunks:
            return "nothing was retrieved"
        if len(scores) < len(output.chunks):
            return Unmeasured(NO_SCORES)
        reached = _OF[settings.of](scores)
        if reached >= threshold - 1e-9:
            return ""
        which = "lowest" if settings.of == "all" else settings.of
        return f"the {which} score is {reached:.3g}, below {threshold:g}"

    return check_metric(request, low, reads=Reads.RETRIEVAL, settings=settings)
