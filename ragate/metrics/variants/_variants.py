"""What the metrics of variants have in common: each variant beside the question that it varies.

A variant is a sample like any other, with ``variant_of`` and, if it has a kind, ``variant`` in its
metadata; so it is asked, paid for, cached and recorded as any other is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragate.core.judging.applicability import provider_failure
from ragate.metrics._identity import metric_info, no_cut_off
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
from ragate.protocols import MetricRequest, Pair

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
    signed: bool = False,
) -> VariantMetric:
    """Return the metric; a signed one is a loss: from -1 to 1, and lower is better."""
    no_cut_off(request)
    direction = Direction.LOWER if signed else Direction.HIGHER
    info = metric_info(request, version=1, reads=reads, settings=settings, direction=direction)
    info = info.amended(aggregate=True, low=-1.0 if signed else 0.0)
    return VariantMetric(info=info, variant=settings.variant, compared=compared)


def no_answer(*outputs: SystemOutput) -> bool:
    """Tell whether one of them was asked for no answer."""
    return any(output.answer is None and output.error is None for output in outputs)
