"""faithfulness: does every claim of the answer rest on the contexts?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return faithfulness: the share of the answer's claims that a context supports.

    Formula: supported claims / all claims. The judge splits the answer into claims; every sentence
    must come back with a claim or as one that claims nothing, so that leaving a claim out raises no
    score. Contradicted and absent claims count alike. Range [0, 1], a fraction, higher is better.
    Version 1.
    Edge cases: nothing retrieved, or an answer that claims nothing (a refusal of an answerable
    question included) 0; chunks without texts: unscored; unanswerable: not applicable.
    Source: Es et al., RAGAS, EACL 2024, with claim ids.
    """
    return judged_metric(request)
