"""What the grounding and citation metrics have in common: an answer beside its contexts."""

from ragate.core.judging.applicability import unanswerable
from ragate.core.text.courtesy import without_courtesy
from ragate.core.text.markdown import readable
from ragate.core.text.segmentation import words
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import without_markers
from ragate.metrics._identity import Phrase, metric_info, no_cut_off
from ragate.metrics._sample_metric import Formula, SampleMetric
from ragate.models import Direction, Frozen, Reads, SystemOutput
from ragate.protocols import MetricRequest


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


class ClaimSettings(Frozen):
    """Keys of the metrics of claims.

    Attributes:
        more_courtesy: Phrases that an answer may open or close with, besides those built in.
    """

    more_courtesy: tuple[Phrase, ...] = ()

    def heard(self, output: SystemOutput) -> str:
        """Return what an answer says: without marks of Markdown and courtesy, markers kept."""
        return without_courtesy(readable(output.answer or ""), self.more_courtesy)

    def said(self, output: SystemOutput) -> str:
        """Return what an answer says, without its citation markers."""
        return without_markers(self.heard(output))


def worded_sentences(answer: str) -> list[str]:
    """Return the sentences that hold a word or number besides citation markers."""
    return [s for s in split_sentences(answer) if words(without_markers(s))]
