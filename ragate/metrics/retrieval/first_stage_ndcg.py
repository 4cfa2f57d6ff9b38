"""first_stage_ndcg@k: ndcg@k of the ranking that a reranker was given."""

from ragate.core.ranking import dcg, gains_of, ideal_dcg, linear_gain
from ragate.metrics._identity import required_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, first_stage_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return ndcg@k with linear gain, over the documents as they were ranked before reranking.

    Formula: that of ndcg@k. Beside ndcg@k it shows what the reranker does. Range [0, 1], a
    fraction, higher is better. Version 2.
    Edge cases: as for ndcg@k; a system that does not rerank: its only ranking counts.
    Source: as for ndcg@k.
    """
    k = required_cut_off(request)

    def normalized_gain(ranking: list[str], sample: Sample) -> float:
        gains = {doc_id: linear_gain(grade) for doc_id, grade in sample.relevant.items()}
        return dcg(gains_of(ranking[:k], gains)) / ideal_dcg(gains.values(), k)

    return first_stage_metric(request, normalized_gain, version=2)
