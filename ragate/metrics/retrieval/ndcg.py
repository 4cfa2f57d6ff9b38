"""ndcg@k: are the most relevant documents ranked first?"""

from typing import Literal

from ragate.core.ranking import dcg, exponential_gain, gains_of, ideal_dcg, linear_gain
from ragate.metrics._identity import own_settings, required_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, ranking_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest


class Settings(RankingSettings):
    """Keys of ndcg.

    Attributes:
        gain: ``linear``: the grade; ``exponential``: 2^grade - 1.
    """

    gain: Literal["linear", "exponential"] = "linear"


def create(request: MetricRequest) -> SampleMetric:
    """Return ndcg@k: discounted gain of the first k, over that of the best possible k.

    Formula: sum_i g_i / log2(i + 1), over the same sum for the k largest known gains. Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: unjudged and negatively graded documents gain 0 (see judged@k); nothing retrieved
    0; no relevant document known: not applicable.
    Source: ``ndcg_cut`` in trec_eval, ``nDCG`` in ir_measures (linear); Burges et al., Learning to
    rank using gradient descent, ICML 2005 (exponential).
    """
    k = required_cut_off(request)
    settings = own_settings(request, Settings)
    gain = linear_gain if settings.gain == "linear" else exponential_gain

    def normalized_gain(ranking: list[str], sample: Sample) -> float:
        gains = {doc_id: gain(grade) for doc_id, grade in sample.relevant.items()}
        return dcg(gains_of(ranking[:k], gains)) / ideal_dcg(gains.values(), k)

    return ranking_metric(request, normalized_gain, settings=settings)
