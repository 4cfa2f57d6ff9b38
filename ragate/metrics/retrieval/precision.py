"""precision@k: how much of what was retrieved is relevant?"""

from ragate.core.ranking import hits
from ragate.metrics._identity import required_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, ranking_metric
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return precision@k: the share of the first k places that hold a relevant document.

    Formula: |D_k and R| / k. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: a ranking shorter than k leaves its missing places irrelevant; with fewer than k
    relevant documents it cannot reach 1; no relevant document known: not applicable.
    Source: ``P`` in trec_eval and ir_measures.
    """
    k = required_cut_off(request)
    return ranking_metric(
        request, lambda ranking, sample: len(hits(ranking, sample.expected, k)) / k
    )
