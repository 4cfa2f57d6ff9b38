"""variant_loss: how much worse is a question answered that is asked in another way?"""

from typing import Literal

from ragate import plugins
from ragate.metrics._identity import own_settings
from ragate.metrics.variants._variants import Value, VariantMetric, VariantSettings, variant_metric
from ragate.models import Reads
from ragate.protocols import Metric, MetricRequest, Pair

Of = Literal["token_f1", "rouge_l", "number_recall", "reference_recall", "answer_keywords"]


class Settings(VariantSettings):
    """Keys of variant_loss.

    Attributes:
        of: The metric whose loss is measured.
    """

    of: Of = "token_f1"


def create(request: MetricRequest) -> VariantMetric:
    """Return variant_loss: what answers to variants score less than those to their questions.

    Formula: mean over variants of score(question) - score(variant), by the metric that ``of``
    names; with variants that hold distractors it is the loss by distractors. Range [-1, 1], a
    fraction, lower is better, over the whole run; below 0 the variants do better. Version 1.
    Edge cases: an empty or failed answer has the worst score; a variant or question to which the
    metric does not apply, such as one without a reference, is left out and counted; no variant: not
    applicable.
    Source: this project.
    """
    settings = own_settings(request, Settings)
    metric = plugins.metric(settings.of)

    def lost(original: Pair, variant: Pair) -> Value:
        before, after = (_scored(metric, pair) for pair in (original, variant))
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        return before - after

    return variant_metric(request, lost, reads=Reads.ANSWER, settings=settings, signed=True)


def _scored(metric: object, pair: Pair) -> Value:
    assert isinstance(metric, Metric)
    [score] = metric.score_samples([pair])
    return score.reason if score.value is None else score.value
