"""Operations: what a run takes in time, tokens and dollars, and how often it fails."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragate.core.judging.applicability import NO_TEXTS, gave_nothing, lacks_texts, provider_failure
from ragate.core.text.words import token_count
from ragate.metrics._identity import unbounded_info
from ragate.metrics._sample_metric import (
    MetricOfOutputs,
    SampleMetric,
    applies_to_all,
    sample_metric,
)
from ragate.models import (
    Direction,
    MetricInfo,
    Reads,
    Sample,
    Score,
    SystemOutput,
    Usage,
    not_applicable,
    unscored,
)
from ragate.protocols import MetricRequest, Pair


@dataclass(frozen=True)
class LatencyPercentile:
    """A percentile of the times that were recorded, in seconds.

    Timeouts and failures of the system count with the time they took; samples that a provider's
    failure ended are left out, since retries and not the system set their time.

    Attributes:
        missing: What is told where no output has a time.
    """

    info: MetricInfo
    share: float
    time_of: Callable[[SystemOutput], float | None]
    missing: str

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        times = sorted(
            taken
            for _, output in pairs
            if (taken := self.time_of(output)) is not None and not provider_failure(output)
        )
        if not times:
            return unscored(self.info.name, self.missing)
        return Score(metric=self.info.name, value=percentile(times, self.share))


def _percentile(
    request: MetricRequest,
    share: float,
    time_of: Callable[[SystemOutput], float | None],
    missing: str,
) -> LatencyPercentile:
    info = unbounded_info(request, reads=Reads.RUN, unit="seconds", aggregate=True)
    return LatencyPercentile(info, share, time_of, missing)


def _of_all(output: SystemOutput) -> float | None:
    return output.latency_s


def _of_first_token(output: SystemOutput) -> float | None:
    return output.first_token_s


_NO_LATENCY = "no latency was recorded"
_NO_STREAM = "no time to the first token was recorded: the answers did not come in a stream"


def percentile(ascending: Sequence[float], share: float) -> float:
    """Return the value at position share * (n - 1), interpolated linearly between neighbours."""
    position = share * (len(ascending) - 1)
    below = int(position)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (position - below) * (ascending[above] - ascending[below])


def latency_p50(request: MetricRequest) -> LatencyPercentile:
    """Return latency_p50: the median wall time of a sample.

    Formula: the value at position 0.5 (n - 1) of the sorted times, interpolated linearly. Range
    [0, unbounded), seconds, lower is better, over the whole run. Version 1.
    Edge cases: failures of the system count with their time, a provider's do not; no time
    recorded: unscored.
    Source: Hyndman and Fan, The American Statistician 1996, type 7.
    """
    return _percentile(request, 0.5, _of_all, _NO_LATENCY)


def latency_p95(request: MetricRequest) -> LatencyPercentile:
    """Return latency_p95: the 95th percentile of the wall time of a sample.

    Formula: the value at position 0.95 (n - 1) of the sorted times, interpolated linearly. Range
    [0, unbounded), seconds, lower is better, over the whole run. Version 1.
    Edge cases: failures of the system count with their time, a provider's do not; no time
    recorded: unscored.
    Source: Hyndman and Fan, The American Statistician 1996, type 7.
    """
    return _percentile(request, 0.95, _of_all, _NO_LATENCY)


def first_token_p50(request: MetricRequest) -> LatencyPercentile:
    """Return first_token_p50: the median time until an answer begins.

    Formula: the value at position 0.5 (n - 1) of the sorted times from the request to the first
    text of the answer, interpolated linearly. Range [0, unbounded), seconds, lower is better, over
    the whole run. Version 1.
    Edge cases: answers that did not come in a stream, and failures before a first text, are left
    out; no time recorded: unscored.
    Source: Hyndman and Fan, The American Statistician 1996, type 7.
    """
    return _percentile(request, 0.5, _of_first_token, _NO_STREAM)


def first_token_p95(request: MetricRequest) -> LatencyPercentile:
    """Return first_token_p95: the 95th percentile of the time until an answer begins.

    Formula: the value at position 0.95 (n - 1) of the sorted times from the request to the first
    text of the answer, interpolated linearly. Range [0, unbounded), seconds, lower is better, over
    the whole run. Version 1.
    Edge cases: answers that did not come in a stream, and failures before a first text, are left
    out; no time recorded: unscored.
    Source: Hyndman and Fan, The American Statistician 1996, type 7.
    """
    return _percentile(request, 0.95, _of_first_token, _NO_STREAM)


Read = Callable[[Usage], float | None]


@dataclass(frozen=True)
class UsageMetric(MetricOfOutputs):
    """One figure of the usage that came with an output.

    A failed output is left out, so that failing does not look cheap. An answer taken from memory
    counts with what it took when it was made.
    """

    read: Read

    def _score(self, _sample: Sample, output: SystemOutput) -> Score:
        if reason := provider_failure(output):
            return unscored(self.info.name, reason)
        if gave_nothing(output):
            return not_applicable(self.info.name, "the system failed")
        used = output.usage
        value = None
        if used is not None and used.prompt_tokens + used.completion_tokens > 0:
            value = self.read(used)
        if value is None:
            return unscored(self.info.name, f"the system reported no {self.info.unit}")
        return Score(metric=self.info.name, value=float(value))


def usage_metric(request: MetricRequest, *, unit: str, read: Read) -> UsageMetric:
    """Return the metric that `read` defines."""
    return UsageMetric(
        info=unbounded_info(request, reads=Reads.ANSWER, unit=unit, aggregate=False),
        read=read,
    )


def prompt_tokens(request: MetricRequest) -> UsageMetric:
    """Return prompt_tokens: the tokens that the sample's model calls read.

    Formula: the sum over the calls of one sample, as the model's server counted them. Range [0,
    unbounded), tokens, lower is better. Version 1.
    Edge cases: failed outputs are left out; no usage reported: unscored.
    Source: the ``usage`` of the chat completions API.
    """
    return usage_metric(request, unit="tokens", read=lambda usage: usage.prompt_tokens)


def completion_tokens(request: MetricRequest) -> UsageMetric:
    """Return completion_tokens: the tokens that the sample's model calls wrote.

    Formula: the sum over the calls of one sample, reasoning tokens included, as the model's server
    counted them. Range [0, unbounded), tokens, lower is better. Version 1.
    Edge cases: failed outputs are left out; no usage reported: unscored.
    Source: the ``usage`` of the chat completions API.
    """
    return usage_metric(request, unit="tokens", read=lambda usage: usage.completion_tokens)


def cost_usd(request: MetricRequest) -> UsageMetric:
    """Return cost_usd: what the sample's model calls cost.

    Formula: tokens times the price of the model, or what the system itself reports. Range [0,
    unbounded), US dollars, lower is better. Version 1.
    Edge cases: failed outputs are left out; a model without a known price: unscored.
    Source: docs/cost.md.
    """
    return usage_metric(request, unit="dollars", read=lambda usage: usage.cost_usd)


@dataclass(frozen=True)
class RetrievedTokens:
    """The mean length of what was retrieved, over the samples that did not fail."""

    info: MetricInfo

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        outputs = [o for _, o in pairs if not gave_nothing(o) and not provider_failure(o)]
        if not outputs:
            return unscored(self.info.name, "every sample failed")
        if any(map(lacks_texts, outputs)):
            return unscored(self.info.name, NO_TEXTS)
        total = sum(token_count(chunk.text) for output in outputs for chunk in output.chunks)
        return Score(metric=self.info.name, value=total / len(outputs))


def retrieved_tokens(request: MetricRequest) -> RetrievedTokens:
    """Return retrieved_tokens: the mean number of tokens in the chunks of one sample.

    Formula: sum over chunks of words plus punctuation marks, averaged over samples. The count is
    no model's tokeniser: compare it with itself only. Range [0, unbounded), tokens, lower is
    better, over the whole run. Version 1.
    Edge cases: all chunks count, also of one document; failed samples are left out, so that
    failing does not look cheap; nothing retrieved 0; chunks without texts: unscored.
    Source: this project.
    """
    info = unbounded_info(request, reads=Reads.RETRIEVAL, unit="tokens", aggregate=True)
    return RetrievedTokens(info=info)


def error_rate(request: MetricRequest) -> SampleMetric:
    """Return error_rate: 1 when the system failed on the sample, else 0.

    Formula: 1[exception, timeout, or an empty answer where one was wanted and no tool was called].
    Range {0, 1}, a fraction, lower is better. Version 1.
    Edge cases: a failure of a model provider is unscored, since the change did not cause it;
    applies to every sample.
    Source: this project.
    """
    # A failed output never reaches the formula: it has the worst value, which is 1.
    return sample_metric(
        request,
        lambda _sample, _output: 0.0,
        exclude=applies_to_all,
        reads=Reads.RUN,
        direction=Direction.LOWER,
    )
