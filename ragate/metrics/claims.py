"""By a judge, claim by claim: what is right, by the references, and where it came from."""

from ragate.metrics.judge import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def claim_precision(request: MetricRequest) -> JudgedMetric:
    """Return claim_precision: the share of the answer's claims that a reference states.

    Formula: claims that a reference states, or that follow from one at once / all claims. What the
    references do not mention counts as not right: they have to be complete. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: an answer that claims nothing 0; no reference or unanswerable: not applicable.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (precision).
    """
    return judged_metric(request)


def claim_recall(request: MetricRequest) -> JudgedMetric:
    """Return claim_recall: the share of the reference's claims that the answer states.

    Formula: claims of the reference that the answer states / all its claims; of several references
    the best one counts. Every sentence of a reference must come back, so that leaving a claim out
    raises no score. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: references that claim nothing 0; no reference or unanswerable: not
    applicable.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (recall).
    """
    return judged_metric(request)


def claim_f1(request: MetricRequest) -> JudgedMetric:
    """Return claim_f1: the harmonic mean of claim_precision and claim_recall.

    Formula: 2 P R / (P + R). Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: as for both.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (F1).
    """
    return judged_metric(request)


def hallucination(request: MetricRequest) -> JudgedMetric:
    """Return hallucination: the share of claims that neither contexts nor references state.

    Formula: claims that no context supports and no reference states / all claims. With
    self_knowledge it adds up to 1 - faithfulness. Range [0, 1], a fraction, lower is better.
    Version 1.
    Edge cases: nothing retrieved, or an answer that claims nothing 1; chunks without texts:
    unscored; no reference or unanswerable: not applicable.
    Source: Ru et al., RAGChecker, NeurIPS 2024.
    """
    return judged_metric(request)


def noise_sensitivity(request: MetricRequest) -> JudgedMetric:
    """Return noise_sensitivity: the share of claims that a context supports and no reference
    states.

    Formula: claims that a context supports and no reference states / all claims; relevant and
    irrelevant contexts together. A detail that is true and in no reference counts, too. Range [0,
    1], a fraction, lower is better. Version 1.
    Edge cases: as for hallucination.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (both kinds of noise together); Es et al., RAGAS.
    """
    return judged_metric(request)


def self_knowledge(request: MetricRequest) -> JudgedMetric:
    """Return self_knowledge: the share of claims that are right and stand in no context.

    Formula: claims that no context supports and a reference states / all claims. Right today; what
    the model learnt does not change with your documents. Range [0, 1], a fraction, lower is better.
    Version 1.
    Edge cases: as for hallucination.
    Source: Ru et al., RAGChecker, NeurIPS 2024.
    """
    return judged_metric(request)


def context_utilisation(request: MetricRequest) -> JudgedMetric:
    """Return context_utilisation: of a reference's claims in the contexts the share in the answer.

    Formula: claims of the reference that a context and the answer state / those that a context
    states; of several references the best one counts. Retrieval that finds less does not lower it.
    Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: the references claim nothing, the contexts state nothing of them, or nothing
    retrieved 0; chunks without texts: unscored; no reference or unanswerable: not applicable.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (context utilization).
    """
    return judged_metric(request)
