"""cost_usd: what does an answer cost?"""

from ragate.metrics.run._usage import UsageMetric, usage_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> UsageMetric:
    """Return cost_usd: what the sample's model calls cost.

    Formula: tokens times the price of the model, or what the system itself reports. Range [0,
    unbounded), US dollars, lower is better. Version 1.
    Edge cases: failed outputs are left out; a model without a known price: unscored.
    Source: docs/cost.md.
    """
    return usage_metric(request, unit="dollars", read=lambda usage: usage.cost_usd)
