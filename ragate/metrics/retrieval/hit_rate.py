"""hit_rate@k: was anything relevant retrieved?"""

from ragate.core.ranking import hits
from ragate.metrics._identity import required_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, ranking_metric
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return hit_rate@k: 1 when a relevant document is among the first k, else 0.

    Formula: 1[|D_k and R| > 0]. Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; no relevant document known: not applicable.
    Source: ``success`` in trec_eval, ``Success`` in ir_measures.
    """
    k = required_cut_off(request)
    return ranking_metric(
        request, lambda ranking, sample: float(bool(hits(ranking, sample.expected, k)))
    )
