"""reference_recall: how much of what the reference adds to the question is in the answer?"""

from ragate.core.judging.applicability import without_reference
from ragate.core.text.number_words import in_digits
from ragate.core.text.segmentation import Vocabulary, content_words, words
from ragate.core.text.words import without_markers
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return reference_recall: the share of the reference's words that the answer holds.

    Formula: max over references of |R and T(answer)| / |R|, R the distinct words of the reference
    that carry content and do not stand in the question; all of them where none is left. An ending
    of one or two letters does not count, and eight is 8. Long answers lose nothing. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: the question repeated scores 0; no reference or unanswerable: not applicable.
    Source: recall of Adlakha et al., TACL 2024, without the words of the question.
    """
    no_cut_off(request)
    return SampleMetric(
        info=metric_info(request, version=1, reads=Reads.ANSWER),
        formula=_recall,
        exclude=without_reference,
    )


def _recall(sample: Sample, output: SystemOutput) -> float:
    answered = Vocabulary(map(in_digits, words(without_markers(output.answer or ""))))
    asked = Vocabulary(map(in_digits, words(sample.query)))
    usable = (reference for reference in sample.references if reference.strip())
    return max(answered.share(_wanted(reference, asked)) for reference in usable)


def _wanted(reference: str, asked: Vocabulary) -> set[str]:
    every = map(in_digits, content_words(reference) or words(reference))
    content = set(every)
    return {word for word in content if word not in asked} or content
