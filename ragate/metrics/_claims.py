"""What the grounding and citation metrics have in common: an answer beside its contexts."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts, unanswerable
from ragate.core.text.courtesy import without_courtesy
from ragate.core.text.markdown import readable
from ragate.core.text.segmentation import words
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import without_markers
from ragate.metrics._identity import Phrase, metric_info, no_cut_off
from ragate.metrics._sample_metric import Formula, SampleMetric, ValueOrReason, of_a_part
from ragate.models import Direction, Frozen, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

T = TypeVar("T")
MOST_KEPT = 1_024  # outputs whose claims are kept: the metric, its reason and its count ask


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


def metric_of_claims(
    request: MetricRequest,
    claims: Callable[[SystemOutput], Sequence[T]],
    held: Callable[[Sequence[T], Sample, SystemOutput], float],
    *,
    called: str,
    version: int,
    settings: Frozen,
    direction: Direction = Direction.HIGHER,
) -> SampleMetric:
    """Return a metric of what an answer claims, and the count of the answers that claim something.

    Args:
        claims: What is checked in an answer; read once per output.
        held: From claims, at least one, to the metric's value.
        called: What a claim is, for the reason where there is none.
    """
    known: dict[tuple[object, ...], Sequence[T]] = {}

    def read(output: SystemOutput) -> Sequence[T]:
        key = (output.answer, output.citations, *(chunk.text for chunk in output.chunks))
        if key not in known:
            if len(known) >= MOST_KEPT:
                known.clear()
            known[key] = claims(output)
        return known[key]

    def formula(sample: Sample, output: SystemOutput) -> ValueOrReason:
        return NO_TEXTS if lacks_texts(output) else held(read(output), sample, output)

    metric = claim_metric(request, formula, version=version, direction=direction, settings=settings)
    return of_a_part(metric, request, read, called=called)


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
