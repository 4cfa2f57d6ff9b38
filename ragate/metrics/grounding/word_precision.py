"""word_precision: how many of the answer's words stand in its contexts?"""

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.number_words import is_number_word
from ragate.core.text.segmentation import content_words, vocabulary
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import ClaimSettings, claim_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

Settings = ClaimSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return word_precision: the share of the answer's content words that its contexts hold.

    Formula: |C(answer) and T(contexts)| / |C(answer)|, T the words, C the distinct words without
    those of grammar and without numbers, which have metrics of their own. An ending of one or two
    letters does not count. Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: nothing retrieved: 0; an answer without such a word: 1, since nothing of it could
    stand elsewhere; chunks without texts: unscored; unanswerable: not applicable.
    Source: K-precision of Adlakha et al., TACL 2024, over content words.
    """
    settings = own_settings(request, ClaimSettings)

    def precision(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        claimed = {
            word
            for word in content_words(settings.said(output))
            if not (word[0].isdigit() or is_number_word(word))
        }
        return vocabulary(chunk.text for chunk in output.chunks).share(claimed) if claimed else 1.0

    return claim_metric(request, precision, version=2, settings=settings)
