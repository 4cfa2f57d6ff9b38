"""The second column of a metric on a part of an answer: did the answer hold anything to check?

Where it did not, the metric has one constant value on both sides; this column, gated like the
metric, sees to it that leaving numbers, quotations or citations out does not pay.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ragate.core.statistics.score_columns import Column, Floats, Mask
from ragate.models import MetricRow, Rule

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


def counts_only(name: str, columns: Mapping[str, Column]) -> bool:
    """Tell whether a column only counts what another one had to check."""
    return metric_of(name) != name and metric_of(name) in columns


def checked_rules(rules: Iterable[Rule], columns: Mapping[str, Column]) -> list[Rule]:
    """Return the rules of the columns that stand beside others: each at its metric's level.

    A column that is equal in all runs of both sides says nothing and has no rule; to leave it out
    is a condition on all runs alike, so the tests stay exact. Nor has one whose metric does not
    compare, which says so itself. What the metric allows, its count allows too.
    """
    count_rules = []
    for rule in rules:
        name = checked_name(rule.metric)
        metric, column = columns.get(rule.metric), columns.get(name)
        if metric is None or column is None or metric.problem:
            continue
        if column.problem or varies(column):
            count_rules.append(_rule(name, rule, metric))
    return count_rules


def _rule(name: str, rule: Rule, metric: Column) -> Rule:
    """Return the count's rule; drops carry over from a metric in the same unit, shares of 1."""
    # Where only the share that passes gates, saying nothing would pay as well.
    level = "error" if rule.gates else rule.level
    if (metric.info.low, metric.info.high) != (0.0, 1.0):
        return Rule(metric=name, level=level)
    return Rule(
        metric=name,
        level=level,
        max_drop=rule.max_drop,
        min_drop=rule.min_drop,
        margin=rule.margin,
    )


def nothing_checked(rules: Sequence[Rule], columns: Mapping[str, Column]) -> list[str]:
    """Return a sentence for each gated metric that no answer of either side gave anything to."""
    return [
        f"{rule.metric} is at its best: no answer of either side holds anything that it checks"
        for rule in rules
        if rule.level == "error"
        and (column := columns.get(checked_name(rule.metric))) is not None
        and not column.problem
        and not (_values(column) > 0).any()
    ]


def _values(column: Column, members: Mask | None = None) -> Floats:
    values = np.concatenate([column.baseline.values, column.candidate.values], axis=1)
    rows = column.applies if members is None else column.applies & members
    return np.asarray(values[rows], dtype=np.float64)


def varies(column: Column, members: Mask | None = None) -> bool:
    """Tell whether any sample's value differs between two runs; what is unscored may.

    Args:
        members: (samples,) those that are looked at; None for all.
    """
    values = _values(column, members)
    return bool((values != values[:, :1]).any())
