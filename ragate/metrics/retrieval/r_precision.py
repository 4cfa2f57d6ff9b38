"""r_precision: precision at the number of relevant documents."""

from ragate.core.ranking import hits
from ragate.metrics._identity import no_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, ranking_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return r_precision: the share of relevant documents among the first |R|.

    Formula: |D_|R| and R| / |R|. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: a ranking shorter than |R| leaves its missing places irrelevant; no relevant
    document known: not applicable.
    Source: ``Rprec`` in trec_eval and ir_measures.
    """
    no_cut_off(request)

    def r_precision(ranking: list[str], sample: Sample) -> float:
        k = len(sample.expected)
        return len(hits(ranking, sample.expected, k)) / k

    return ranking_metric(request, r_precision)
