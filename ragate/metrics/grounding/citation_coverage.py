"""citation_coverage: does every sentence cite?"""

from ragate.core.text.words import markers
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import ClaimSettings, claim_metric, worded_sentences
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

Settings = ClaimSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return citation_coverage: the share of answer sentences with a citation that resolves.

    Formula: share of sentences with a marker [n], 1 <= n <= number of chunks. A marker behind the
    full stop belongs to the sentence before it. Range [0, 1], a fraction, higher is better.
    Version 4.
    Edge cases: no marker at all 0, also where the system reports citations apart from the text;
    no words in the answer 0; unanswerable: not applicable.
    Source: this project; after Gao et al., ALCE, EMNLP 2023, without their entailment model.
    """
    settings = own_settings(request, ClaimSettings)

    def coverage(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        sentences = worded_sentences(settings.heard(output))
        places = range(1, len(output.chunks) + 1)
        citing = sum(any(n in places for n in markers(s)) for s in sentences)
        return citing / max(1, len(sentences))

    return claim_metric(request, coverage, version=4, settings=settings)
