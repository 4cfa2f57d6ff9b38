"""Which columns of what was checked are gated and shown, and what to say where nothing was."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ragate.core.rules.checked_metric import checked_name, metric_of
from ragate.core.statistics.score_columns import Column, Floats, Mask
from ragate.core.text.wording import listed
from ragate.models import MetricRow, Rule


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
    is_share = (metric.info.low, metric.info.high) == (0.0, 1.0)
    return Rule(metric=name, level=level, max_drop=rule.max_drop if is_share else None)


def nothing_checked(rules: Sequence[Rule], columns: Mapping[str, Column]) -> list[str]:
    """Return a sentence on the gated metrics that no answer of either side gave anything to."""
    gated = [rule.metric for rule in rules if rule.level == "error"]
    idle = [metric for metric in gated if _checks_nothing(metric, columns)]
    found = "no answer of either side holds anything to check"
    return [f"{listed(idle)}: {found}"] if idle else []


def _checks_nothing(metric: str, columns: Mapping[str, Column]) -> bool:
    column = columns.get(checked_name(metric))
    return column is not None and not column.problem and not (_values(column) > 0).any()


def with_nothing_checked(
    rows: Sequence[MetricRow], columns: Mapping[str, Column]
) -> list[MetricRow]:
    """Return the rows, each metric's with whether there was nothing for it to check."""
    return [row.amended(checks_nothing=_checks_nothing(row.metric, columns)) for row in rows]


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
