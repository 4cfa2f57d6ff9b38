"""What the grounding and citation metrics have in common: an answer beside its contexts."""

from ragate.core.judging.applicability import unanswerable
from ragate.core.text.segmentation import words
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import without_markers
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.metrics._sample_metric import Formula, SampleMetric
from ragate.models import Direction, Frozen, Reads, SystemOutput
from ragate.protocols import MetricRequest

NO_TEXTS = "the retrieved chunks carry no text"


def claim_metric(
    request: MetricRequest,
    formula: Formula,
    *,
    version: int = 1,
    direction: Direction = Direction.HIGHER,
    settings: Frozen | None = None,
) -> SampleMetric:
    """Return a metric of the claims of an answer; an unanswerable question wants none."""
    no_cut_off(request)
    return SampleMetric(
        info=metric_info(
            request,
            version=version,
            reads=Reads.ANSWER,
            direction=direction,
            settings=settings,
        ),
        formula=formula,
        exclude=unanswerable,
    )


def lacks_texts(output: SystemOutput) -> bool:
    """Tell whether chunks were retrieved and none has a text to check against."""
    return bool(output.chunks) and not any(chunk.text.strip() for chunk in output.chunks)


def worded_sentences(answer: str) -> list[str]:
    """Return the sentences that hold a word or number besides citation markers."""
    return [s for s in split_sentences(answer) if words(without_markers(s))]
