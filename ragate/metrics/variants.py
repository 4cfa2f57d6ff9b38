"""Robustness: is a question answered alike when it is asked in another way?"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragate import plugins
from ragate.core.judging.applicability import NO_ANSWER, failed, provider_failure
from ragate.core.ranking import ranked_doc_ids
from ragate.core.text.words import squad_tokens, without_markers
from ragate.metrics._identity import metric_info, no_cut_off, own_settings, takes
from ragate.metrics.refusal import Refusals, RefusalSettings
from ragate.models import (
    Direction,
    Frozen,
    MetricInfo,
    Reads,
    Sample,
    Score,
    SystemOutput,
    not_applicable,
    unscored,
)
from ragate.protocols import Metric, MetricRequest, Pair

ORIGINAL, KIND = "variant_of", "variant"
Value = float | str
"""A value, or the reason why there is none."""
Compared = Callable[[Pair, Pair], Value]
"""From an original and a variant, each with its output, to a value."""


class VariantSettings(Frozen):
    """Keys of the metrics of variants.

    Attributes:
        variant: The kind of variants that count; "" for all.
    """

    variant: str = ""


@dataclass(frozen=True)
class VariantMetric:
    """The mean of a comparison over all variants."""

    info: MetricInfo
    variant: str
    compared: Compared

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        """Return the mean; a variant whose question was not asked is left out, and counted.

        Unscored where one that was asked has no output: the mean would be of what came through.
        """
        name = self.info.name
        found = [pair for pair in pairs if self._is_variant(pair[0])]
        if not found:
            kind = f" of the kind {self.variant!r}" if self.variant else ""
            return not_applicable(name, f"no sample is a variant{kind}")
        wanted = {str(sample.metadata[ORIGINAL]) for sample, _ in found}
        originals = {pair[0].id: pair for pair in pairs if pair[0].id in wanted}
        beside = [(originals.get(str(pair[0].metadata[ORIGINAL])), pair) for pair in found]
        if lost := [why for one, pair in beside if (why := _failure(one, pair))]:
            return unscored(name, f"{len(lost)} of {len(found)} variants not measured: {lost[0]}")
        values = [self._value(one, pair) for one, pair in beside]
        measured = [value for value in values if isinstance(value, float)]
        reasons = [value for value in values if isinstance(value, str)]
        if not measured:
            return unscored(name, reasons[0])
        left_out = [f"{len(reasons)} of {len(found)} variants left out: {one}" for one in reasons]
        # Sorted, since a sum of floats in another order may differ in its last digit.
        mean = sum(sorted(measured)) / len(measured)
        return Score(metric=name, value=mean, reason=left_out[0] if left_out else "")

    def _is_variant(self, sample: Sample) -> bool:
        if sample.arrange and self.info.reads is Reads.RETRIEVAL:
            return False  # the golden set makes its ranking, not the system
        kind = str(sample.metadata.get(KIND) or "")
        return bool(sample.metadata.get(ORIGINAL)) and self.variant in ("", kind)

    def _value(self, original: Pair | None, variant: Pair) -> Value:
        if original is None:
            return f"{variant[0].metadata[ORIGINAL]} was not asked"
        return self.compared(original, variant)


def _failure(original: Pair | None, variant: Pair) -> str:
    """Return why one of the two was not measured, "" where both were or none was to be."""
    before = provider_failure(original[1]) if original is not None else ""
    return before or provider_failure(variant[1]) or ""


def variant_metric(
    request: MetricRequest,
    compared: Compared,
    *,
    reads: Reads,
    settings: VariantSettings,
    version: int = 1,
    signed: bool = False,
) -> VariantMetric:
    """Return the metric; a signed one is a loss: from -1 to 1, and lower is better."""
    no_cut_off(request)
    direction = Direction.LOWER if signed else Direction.HIGHER
    info = metric_info(
        request, version=version, reads=reads, settings=settings, direction=direction
    )
    info = info.amended(aggregate=True, low=-1.0 if signed else 0.0)
    return VariantMetric(info=info, variant=settings.variant, compared=compared)


def no_answer(*outputs: SystemOutput) -> bool:
    """Tell whether one of them was asked for no answer."""
    return any(output.answer is None and output.error is None for output in outputs)


@takes(VariantSettings)
def answer_consistency(request: MetricRequest) -> VariantMetric:
    """Return answer_consistency: how alike the answers to a question and to its variants are.

    Formula: mean over variants of 2 c / (|a| + |b|), c the words that the answers a and b have in
    common, counted with repeats, as in token_f1; two refusals 1, one beside an answer 0. Range
    [0, 1], a fraction, higher is better, over the whole run. Version 2.
    Edge cases: the system failed on either question: 0; a variant whose question was not asked is
    left out, and counted in the reason; a provider's failure on one of them: unscored; no variant:
    not applicable. A system that refuses everything has 1, and a changed number is hardly seen:
    keep token_f1, and variant_loss of number_recall, beside it.
    Source: this project.
    """
    settings = own_settings(request, VariantSettings)
    refuses = Refusals(RefusalSettings())

    def alike(original: Pair, variant: Pair) -> Value:
        (_, one), (_, other) = original, variant
        if failed(one) or failed(other):
            return 0.0
        if no_answer(one, other):
            return NO_ANSWER
        texts = [without_markers(output.answer or "") for output in (one, other)]
        refused = [refuses(text) for text in texts]
        if any(refused):
            return float(all(refused))
        left, right = (squad_tokens(text) for text in texts)
        common = (Counter(left) & Counter(right)).total()
        return 2 * common / max(1, len(left) + len(right))

    return variant_metric(request, alike, reads=Reads.ANSWER, settings=settings, version=2)


@takes(VariantSettings)
def retrieval_consistency(request: MetricRequest) -> VariantMetric:
    """Return retrieval_consistency: how alike what a question and its variants retrieve is.

    Formula: mean over variants of |A and B| / |A or B|, A and B the documents retrieved for both
    questions (Jaccard). Range [0, 1], a fraction, higher is better, over the whole run. Version 1.
    Edge cases: nothing retrieved for either, or the system failed on either: 0; left out and
    counted, or not applicable, as for answer_consistency.
    Source: this project.
    """
    settings = own_settings(request, VariantSettings)

    def alike(original: Pair, variant: Pair) -> Value:
        (_, one), (_, other) = original, variant
        if failed(one) or failed(other):
            return 0.0
        left, right = (set(ranked_doc_ids(output.chunks)) for output in (one, other))
        return len(left & right) / max(1, len(left | right))

    return variant_metric(request, alike, reads=Reads.RETRIEVAL, settings=settings)


Of = Literal["token_f1", "rouge_l", "number_recall", "reference_recall", "answer_keywords"]


class LossSettings(VariantSettings):
    """Keys of variant_loss.

    Attributes:
        of: The metric whose loss is measured.
    """

    of: Of = "token_f1"


@takes(LossSettings)
def variant_loss(request: MetricRequest) -> VariantMetric:
    """Return variant_loss: by how much answers to variants score less than those to the questions.

    Formula: mean over variants of score(question) - score(variant), by the metric that ``of``
    names; with variants that hold distractors it is the loss by distractors. Range [-1, 1], a
    fraction, lower is better, over the whole run; below 0 the variants do better. Version 1.
    Edge cases: an empty or failed answer has the worst score; a variant or question to which the
    metric does not apply, such as one without a reference, is left out and counted; a provider's
    failure on one of them: unscored; no variant: not applicable.
    Source: this project.
    """
    settings = own_settings(request, LossSettings)
    metric = plugins.metric(settings.of)

    def lost(original: Pair, variant: Pair) -> Value:
        before, after = (_scored(metric, pair) for pair in (original, variant))
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        return before - after

    return variant_metric(request, lost, reads=Reads.ANSWER, settings=settings, signed=True)


def _scored(metric: object, pair: Pair) -> Value:
    assert isinstance(metric, Metric)
    [score] = metric.score_samples([pair])
    return score.reason if score.value is None else score.value
