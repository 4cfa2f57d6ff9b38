"""judged@k: how much of the ranking did anybody judge?"""

from ragate.metrics._identity import required_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, ranking_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return judged@k: the share of the first k documents that have a grade, of any value.

    Formula: |D_k and J| / min(k, |D|), J the judged documents. To be read beside ndcg@k: where it
    falls, a drop may come from documents that nobody judged. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: a short ranking is divided by its own length, since a missing place is not an
    unjudged one; nothing retrieved 0; no relevant document known: not applicable, as for ndcg.
    Source: ``Judged`` in ir_measures.
    """
    k = required_cut_off(request)

    def judged(ranking: list[str], sample: Sample) -> float:
        top = ranking[:k]
        return sum(doc_id in sample.relevant for doc_id in top) / max(len(top), 1)

    return ranking_metric(request, judged)
