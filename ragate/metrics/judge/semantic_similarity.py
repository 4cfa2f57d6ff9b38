"""semantic_similarity: does the answer mean what the reference means?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return semantic_similarity: the cosine between the vectors of answer and reference.

    Formula: the largest cosine over the references, a negative one as 0. Range [0, 1], a fraction,
    higher is better; what counts as near depends on the embedding model. Version 1.
    Edge cases: no reference or unanswerable: not applicable; a vector of zeros: unscored.
    Source: LlamaIndex's SemanticSimilarityEvaluator.
    """
    return judged_metric(request)
