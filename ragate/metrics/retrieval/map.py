"""map, map@k: precision at every relevant document, averaged over all that are known."""

from ragate.core.ranking import hits
from ragate.metrics._identity import optional_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.retrieval._retrieval import RankingSettings, ranking_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest

Settings = RankingSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return map: average precision, divided by the relevant documents that are known.

    Formula: (1 / |R|) sum over relevant D_i of P@i, over the first k where a cut-off is given.
    Some libraries divide by the relevant documents that were retrieved: there, one hit at rank 1
    of ten relevant documents is 1, here 0.1. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; no relevant document known: not applicable.
    Source: ``map`` and ``map_cut`` in trec_eval, ``AP`` in ir_measures.
    """
    k = optional_cut_off(request)

    def average_precision(ranking: list[str], sample: Sample) -> float:
        ranks = hits(ranking, sample.expected, k)
        precisions = (count / rank for count, rank in enumerate(ranks, start=1))
        return sum(precisions) / len(sample.expected)

    return ranking_metric(request, average_precision)
