"""prompt_tokens: how much is sent to the model for a question?"""

from ragate.metrics.run._usage import UsageMetric, usage_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> UsageMetric:
    """Return prompt_tokens: the tokens that the sample's model calls read.

    Formula: the sum over the calls of one sample, as the model's server counted them. Range [0,
    unbounded), tokens, lower is better. Version 1.
    Edge cases: failed outputs are left out; no usage reported: unscored.
    Source: the ``usage`` of the chat completions API.
    """
    return usage_metric(request, unit="tokens", read=lambda usage: usage.prompt_tokens)
