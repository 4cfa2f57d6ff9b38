"""lexical_support: are the answer's words in the retrieved contexts?"""

from pydantic import Field

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.segmentation import vocabulary, words
from ragate.core.text.words import without_markers
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import ClaimSettings, claim_metric, worded_sentences
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest


class Settings(ClaimSettings):
    """Keys of lexical_support.

    Attributes:
        threshold: Share of a sentence's words that the contexts must hold.
    """

    threshold: float = Field(default=0.8, gt=0, le=1)


def create(request: MetricRequest) -> SampleMetric:
    """Return lexical_support: the share of answer sentences whose words the contexts hold.

    Formula: share of sentences s with |T(s) and T(contexts)| / |T(s)| >= threshold, T the distinct
    words. A tripwire, not a proof: it sees an answer that left its sources, not a wrong claim made
    of their words. Range [0, 1], a fraction, higher is better. Version 4.
    Edge cases: nothing retrieved, or no words in the answer: 0; chunks without texts: unscored;
    unanswerable: not applicable.
    Source: this project; token precision as in Adlakha et al., TACL 2024 (K-precision).
    """
    settings = own_settings(request, Settings)

    def support(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        sentences = worded_sentences(settings.heard(output))
        if not sentences:
            return 0.0
        known = vocabulary(chunk.text for chunk in output.chunks)
        supported = sum(
            known.share(set(words(without_markers(s)))) >= settings.threshold - 1e-9
            for s in sentences
        )
        return supported / len(sentences)

    return claim_metric(request, support, version=4, settings=settings)
