"""Retrieval against expected documents."""

from collections.abc import Callable
from typing import ClassVar, Literal

from pydantic import Field

from ragate.core.ranking import (
    dcg,
    exponential_gain,
    gains_of,
    hits,
    ideal_dcg,
    linear_gain,
    ranked_doc_ids,
)
from ragate.metrics._identity import (
    metric_info,
    no_cut_off,
    optional_cut_off,
    required_cut_off,
    takes,
)
from ragate.metrics._sample_metric import SampleMetric, without_relevant
from ragate.models import Frozen, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

Formula = Callable[[list[str], Sample], float]
Ranking = Callable[[SystemOutput], list[str]]
LOWEST_RELEVANT = 1


class RankingSettings(Frozen):
    """Keys of every retrieval metric.

    Attributes:
        relevant_from: The lowest grade that counts as relevant; lower ones are judged, and gain
            nothing.
    """

    CAME_LATER: ClassVar[frozenset[str]] = frozenset({"relevant_from"})

    relevant_from: int = Field(default=LOWEST_RELEVANT, ge=LOWEST_RELEVANT, le=1000)


def _ranked(output: SystemOutput) -> list[str]:
    return ranked_doc_ids(output.chunks)


def _ranked_before(output: SystemOutput) -> list[str]:
    """Return the ranking before a reranker, which without one is the ranking itself."""
    return _ranked(output) if output.first_stage is None else list(output.first_stage)


def ranking_metric(
    request: MetricRequest,
    settings: RankingSettings,
    formula: Formula,
    *,
    version: int = 1,
    ranking: Ranking = _ranked,
) -> SampleMetric:
    """Return a metric of the document ranking.

    Chunks are collapsed to documents first. A sample without a relevant document is not
    applicable, since no system could score on it; an empty retrieval is scored.
    """
    graded = _seen_from(settings.relevant_from)

    return SampleMetric(
        info=metric_info(request, version=version, reads=Reads.RETRIEVAL, settings=settings),
        formula=lambda sample, output: formula(ranking(output), graded(sample)),
        exclude=lambda sample: without_relevant(graded(sample)),
    )


def _seen_from(lowest: int) -> Callable[[Sample], Sample]:
    """Return what a sample looks like where only grades from `lowest` on are relevant."""
    if lowest == LOWEST_RELEVANT:
        return lambda sample: sample

    def graded(sample: Sample) -> Sample:
        grades = sample.relevant.items()
        relevant = {doc_id: grade if grade >= lowest else min(grade, 0) for doc_id, grade in grades}
        return sample.amended(relevant=relevant)

    return graded


class NdcgSettings(RankingSettings):
    """Keys of ndcg.

    Attributes:
        gain: ``linear``: the grade; ``exponential``: 2^grade - 1.
    """

    gain: Literal["linear", "exponential"] = "linear"


@takes(NdcgSettings)
def ndcg(request: MetricRequest, settings: NdcgSettings) -> SampleMetric:
    """Return ndcg@k: discounted gain of the first k, over that of the best possible k.

    Formula: sum_i g_i / log2(i + 1), over the same sum for the k largest known gains. Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: unjudged and negatively graded documents gain 0 (see judged@k); nothing retrieved
    0; no relevant document known: not applicable.
    Source: ``ndcg_cut`` in trec_eval, ``nDCG`` in ir_measures (linear); Burges et al., Learning to
    rank using gradient descent, ICML 2005 (exponential).
    """
    k = required_cut_off(request)
    gain = linear_gain if settings.gain == "linear" else exponential_gain
    return ranking_metric(request, settings, _normalised_gain(k, gain))


def _normalised_gain(k: int, gain: Callable[[int], float]) -> Formula:
    def normalised(ranking: list[str], sample: Sample) -> float:
        gains = {doc_id: gain(grade) for doc_id, grade in sample.relevant.items()}
        return dcg(gains_of(ranking[:k], gains)) / ideal_dcg(gains.values(), k)

    return normalised


@takes(RankingSettings)
def recall(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return recall@k: the share of the relevant documents that are among the first k.

    Formula: |D_k and R| / |R|; elsewhere also called context recall. Range [0, 1], a fraction,
    higher is better. Version 1.
    Edge cases: with more than k relevant documents it cannot reach 1; nothing retrieved 0; no
    relevant document known: not applicable.
    Source: ``recall`` in trec_eval, ``R`` in ir_measures.
    """
    return ranking_metric(request, settings, _share_found(required_cut_off(request)))


def _share_found(k: int) -> Formula:
    return lambda ranking, sample: len(hits(ranking, sample.expected, k)) / len(sample.expected)


@takes(RankingSettings)
def all_found(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return all_found@k: 1 where every relevant document is among the first k, else 0.

    Formula: 1 if R is a part of D_k, else 0; for questions that take several documents together
    (multi-hop). Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: with more than k relevant documents it is 0; nothing retrieved 0; no relevant
    document known: not applicable.
    Source: recall@k that is whole; ``full support`` in work on multi-hop retrieval.
    """
    found = _share_found(required_cut_off(request))
    return ranking_metric(
        request, settings, lambda ranking, sample: float(found(ranking, sample) == 1.0)
    )


@takes(RankingSettings)
def precision(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return precision@k: the share of the first k places that hold a relevant document.

    Formula: |D_k and R| / k. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: a ranking shorter than k leaves its missing places irrelevant; with fewer than k
    relevant documents it cannot reach 1; no relevant document known: not applicable.
    Source: ``P`` in trec_eval and ir_measures.
    """
    k = required_cut_off(request)
    return ranking_metric(
        request, settings, lambda ranking, sample: len(hits(ranking, sample.expected, k)) / k
    )


@takes(RankingSettings)
def hit_rate(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return hit_rate@k: 1 when a relevant document is among the first k, else 0.

    Formula: 1[|D_k and R| > 0]. Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; no relevant document known: not applicable.
    Source: ``success`` in trec_eval, ``Success`` in ir_measures.
    """
    k = required_cut_off(request)
    return ranking_metric(
        request, settings, lambda ranking, sample: float(bool(hits(ranking, sample.expected, k)))
    )


@takes(RankingSettings)
def mrr(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
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

    return ranking_metric(request, settings, reciprocal_rank)


@takes(RankingSettings)
def average_precision(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return map: average precision, divided by the relevant documents that are known.

    Formula: (1 / |R|) sum over relevant D_i of P@i, over the first k where a cut-off is given.
    Some libraries divide by the relevant documents that were retrieved: there, one hit at rank 1
    of ten relevant documents is 1, here 0.1. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; no relevant document known: not applicable.
    Source: ``map`` and ``map_cut`` in trec_eval, ``AP`` in ir_measures.
    """
    k = optional_cut_off(request)

    def averaged(ranking: list[str], sample: Sample) -> float:
        ranks = hits(ranking, sample.expected, k)
        precisions = (count / rank for count, rank in enumerate(ranks, start=1))
        return sum(precisions) / len(sample.expected)

    return ranking_metric(request, settings, averaged)


@takes(RankingSettings)
def r_precision(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return r_precision: the share of relevant documents among the first |R|.

    Formula: |D_|R| and R| / |R|. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: a ranking shorter than |R| leaves its missing places irrelevant; no relevant
    document known: not applicable.
    Source: ``Rprec`` in trec_eval and ir_measures.
    """
    no_cut_off(request)

    def at_all_relevant(ranking: list[str], sample: Sample) -> float:
        return _share_found(len(sample.expected))(ranking, sample)

    return ranking_metric(request, settings, at_all_relevant)


@takes(RankingSettings)
def judged(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return judged@k: the share of the first k documents that have a grade, of any value.

    Formula: |D_k and J| / min(k, |D|), J the judged documents. To be read beside ndcg@k: where it
    falls, a drop may come from documents that nobody judged. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: a short ranking is divided by its own length, since a missing place is not an
    unjudged one; nothing retrieved 0; no relevant document known: not applicable, as for ndcg.
    Source: ``Judged`` in ir_measures.
    """
    k = required_cut_off(request)

    def share_judged(ranking: list[str], sample: Sample) -> float:
        top = ranking[:k]
        return sum(doc_id in sample.relevant for doc_id in top) / max(len(top), 1)

    return ranking_metric(request, settings, share_judged)


@takes(RankingSettings)
def first_stage_ndcg(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return first_stage_ndcg@k: linear ndcg@k of the documents as ranked before reranking.

    Formula: that of ndcg@k. Beside ndcg@k it shows what the reranker does. Range [0, 1], a
    fraction, higher is better. Version 2.
    Edge cases: as for ndcg@k; a system that does not rerank: its only ranking counts.
    Source: as for ndcg@k.
    """
    formula = _normalised_gain(required_cut_off(request), linear_gain)
    return ranking_metric(request, settings, formula, version=2, ranking=_ranked_before)


@takes(RankingSettings)
def first_stage_recall(request: MetricRequest, settings: RankingSettings) -> SampleMetric:
    """Return first_stage_recall@k: recall@k of the documents as ranked before reranking.

    Formula: that of recall@k. With k as large as ``candidates`` it is the most that reranking can
    reach. Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: as for recall@k; a system that does not rerank: its only ranking counts.
    Source: as for recall@k.
    """
    formula = _share_found(required_cut_off(request))
    return ranking_metric(request, settings, formula, version=2, ranking=_ranked_before)
