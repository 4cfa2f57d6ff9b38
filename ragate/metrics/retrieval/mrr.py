"""mrr, mrr@k: how early does the first relevant document come?"""

from ragate.core.ranking import hits
from ragate.metrics._identity import optional_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, ranking_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return mrr: the reciprocal rank of the first relevant document, 0 if there is none.

    Formula: 1 / min{i : D_i in R}, over the first k where a cut-off is given. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; no relevant document known: not applicable.
    Source: ``recip_rank`` in trec_eval, ``RR`` in ir_measures.
    """
    k = optional_cut_off(request)

    def reciprocal_rank(ranking: list[str], sample: Sample) -> float:
        ranks = hits(ranking, sample.expected, k)
        return 1 / ranks[0] if ranks else 0.0

    return ranking_metric(request, reciprocal_rank)
