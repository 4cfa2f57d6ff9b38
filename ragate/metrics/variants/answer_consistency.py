"""answer_consistency: is a question that is asked in another way answered alike?"""

from collections import Counter

from ragate.core.judging.applicability import NO_ANSWER, failed
from ragate.core.text.words import squad_tokens, without_markers
from ragate.metrics._identity import own_settings
from ragate.metrics.refusal._refusal import Refusals, RefusalSettings
from ragate.metrics.variants._variants import (
    Value,
    VariantMetric,
    VariantSettings,
    no_answer,
    variant_metric,
)
from ragate.models import Reads
from ragate.protocols import MetricRequest, Pair

Settings = VariantSettings


def create(request: MetricRequest) -> VariantMetric:
    """Return answer_consistency: how alike the answers to a question and to its variants are.

    Formula: mean over variants of 2 c / (|a| + |b|), c the words that the answers a and b have in
    common, counted with repeats, as in token_f1; two refusals 1, one beside an answer 0. Range
    [0, 1], a fraction, higher is better, over the whole run. Version 1.
    Edge cases: the system failed on either 0; a provider did, or the question of a variant was not
    asked: that variant is left out, and counted in the reason; no variant: not applicable.
    Source: this project.
    """
    settings = own_settings(request, VariantSettings)
    refuses = Refusals(RefusalSettings())

    def alike(original: Pair, variant: Pair) -> Value:
        (_, one), (_, other) = original, variant
        if failed(one) or failed(other):
            return 0.0
        if no_answer(one, other):
            return NO_ANSWER
        texts = [without_markers(output.answer or "") for output in (one, other)]
        refused = [refuses(text) for text in texts]
        if any(refused):
            return float(all(refused))
        left, right = (squad_tokens(text) for text in texts)
        common = (Counter(left) & Counter(right)).total()
        return 2 * common / max(1, len(left) + len(right))

    return variant_metric(request, alike, reads=Reads.ANSWER, settings=settings)
