"""retrieval_consistency: does a question that is asked in another way find the same documents?"""

from ragate.core.judging.applicability import failed
from ragate.core.ranking import ranked_doc_ids
from ragate.metrics._identity import own_settings
from ragate.metrics.variants._variants import (
    Value,
    VariantMetric,
    VariantSettings,
    variant_metric,
)
from ragate.models import Reads
from ragate.protocols import MetricRequest, Pair

Settings = VariantSettings


def create(request: MetricRequest) -> VariantMetric:
    """Return retrieval_consistency: how alike what a question and its variants retrieve is.

    Formula: mean over variants of |A and B| / |A or B|, A and B the documents retrieved for both
    questions (Jaccard). Range [0, 1], a fraction, higher is better, over the whole run. Version 1.
    Edge cases: nothing retrieved for either, or the system failed on either: 0; left out and
    counted, or not applicable, as for answer_consistency.
    Source: this project.
    """
    settings = own_settings(request, VariantSettings)

    def alike(original: Pair, variant: Pair) -> Value:
        (_, one), (_, other) = original, variant
        if failed(one) or failed(other):
            return 0.0
        left, right = (set(ranked_doc_ids(output.chunks)) for output in (one, other))
        return len(left & right) / max(1, len(left | right))

    return variant_metric(request, alike, reads=Reads.RETRIEVAL, settings=settings)
