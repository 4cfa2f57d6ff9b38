"""recall@k: how much of what is relevant was retrieved?"""

from ragate.core.ranking import hits
from ragate.metrics._identity import required_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, ranking_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return recall@k: the share of the relevant documents that are among the first k.

    Formula: |D_k and R| / |R|; elsewhere also called context recall. Range [0, 1], a fraction,
    higher is better. Version 1.
    Edge cases: with more than k relevant documents it cannot reach 1; nothing retrieved 0; no
    relevant document known: not applicable.
    Source: ``recall`` in trec_eval, ``R`` in ir_measures.
    """
    k = required_cut_off(request)

    def recall(ranking: list[str], sample: Sample) -> float:
        return len(hits(ranking, sample.expected, k)) / len(sample.expected)

    return ranking_metric(request, recall)
