"""completion_tokens: how much does the model write for a question?"""

from ragate.metrics.run._usage import UsageMetric, usage_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> UsageMetric:
    """Return completion_tokens: the tokens that the sample's model calls wrote.

    Formula: the sum over the calls of one sample, reasoning tokens included, as the model's server
    counted them. Range [0, unbounded), tokens, lower is better. Version 1.
    Edge cases: failed outputs are left out; no usage reported: unscored.
    Source: the ``usage`` of the chat completions API.
    """
    return usage_metric(request, unit="tokens", read=lambda usage: usage.completion_tokens)
