"""The second column of a metric on a part of an answer: did the answer hold anything to check?

Where it did not, the metric has one constant value on both sides; this column, gated like the
metric, sees to it that leaving numbers, quotations or citations out does not pay.
"""

from collections.abc import Iterable, Sequence

from ragate.models import MetricRow

_SUFFIX = ".checked"


def checked_name(metric: str) -> str:
    """Return the name of the column that counts what `metric` had to check."""
    return metric + _SUFFIX


def with_checked(metrics: Iterable[str]) -> set[str]:
    """Return the names with those of the columns that may stand beside them."""
    return {name for metric in metrics for name in (metric, checked_name(metric))}


def metric_of(name: str) -> str:
    """Return the metric beside which a column stands, or the name itself."""
    return name.removesuffix(_SUFFIX)


def without_counts(rows: Sequence[MetricRow]) -> list[MetricRow]:
    """Return the rows of metrics, for what a reader is told of them in one figure.

    Whether an answer mentions a number varies more than whether the number is right.
    """
    of_metrics = [row for row in rows if metric_of(row.metric) == row.metric]
    return of_metrics or list(rows)
