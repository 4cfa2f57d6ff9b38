"""char_3gram_recall: how much of the reference's spelling is in the answer?"""

from ragate.core.text.words import squad_normalize
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.reference._reference import reference_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return char_3gram_recall: the share of the reference's character 3-grams in the answer.

    Formula: max over references of |G(answer) and G(reference)| / |G(reference)|, G the distinct
    runs of three characters of the normalised text, spaces included. Kind to inflection,
    transliteration and long answers. Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: a reference of fewer than three characters is one gram; no reference or
    unanswerable: not applicable.
    Source: Chirkova et al., Retrieval-augmented generation in multilingual settings, 2024.
    """
    return reference_metric(request, _recall, version=2)


def _recall(answer: str, reference: str) -> float:
    normalised = squad_normalize(reference)
    size = min(3, len(normalised))
    grams = _grams(normalised, size)
    return len(grams & _grams(squad_normalize(answer), size)) / len(grams)


def _grams(text: str, size: int) -> set[str]:
    return {text[start : start + size] for start in range(len(text) - size + 1)}
