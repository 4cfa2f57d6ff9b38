"""first_stage_recall@k: how much of what is relevant could a reranker see among the first k?"""

from ragate.core.ranking import hits
from ragate.metrics._identity import required_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, first_stage_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return recall@k over the documents as they were ranked before reranking.

    Formula: that of recall@k. With k as large as ``candidates`` it is the most that reranking can
    reach. Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: as for recall@k; a system that does not rerank: its only ranking counts.
    Source: as for recall@k.
    """
    k = required_cut_off(request)

    def recall(ranking: list[str], sample: Sample) -> float:
        return len(hits(ranking, sample.expected, k)) / len(sample.expected)

    return first_stage_metric(request, recall, version=2)
