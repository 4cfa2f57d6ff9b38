"""The second column of a metric on a part of an answer: did the answer hold anything to check?

Where it did not, the metric has one constant value on both sides; this column, gated like the
metric, sees to it that leaving numbers, quotations or citations out does not pay.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ragate.models import MetricRow, Report

RowT = TypeVar("RowT", bound=MetricRow)
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


def spoken(name: str) -> str:
    """Return a metric's name, or of a count what of its metric it is."""
    metric = metric_of(name)
    return name if metric == name else f"{metric}: answers with something to check"


def counts_in_metrics(report: Report) -> Report:
    """Return the report with each count as a property of its metric: no row, and no name, is its.

    A metric is red where its count is. A report that is so already stays as it is.
    """
    decision = report.decision
    counts = {row.metric for row in decision.rows if metric_of(row.metric) != row.metric}
    if not counts:
        return report

    def said(sentences: Iterable[str]) -> tuple[str, ...]:
        return tuple(_said(sentence, counts) for sentence in sentences)

    decision = decision.amended(
        metrics=_with_counts(decision.metrics),
        slices=_with_counts(decision.slices),
        family=tuple(dict.fromkeys(map(metric_of, decision.family))),
        reasons=said(decision.reasons),
        warnings=said(decision.warnings),
        lines=said(decision.lines),
    )
    return report.amended(decision=decision)


def _with_counts(rows: Sequence[RowT]) -> tuple[RowT, ...]:
    counts = {row.key: row for row in rows if metric_of(row.key) != row.key}
    told = [row for row in rows if row.key not in counts]
    return tuple(_with_count(row, counts.get(checked_name(row.key))) for row in told)


def _with_count(row: RowT, count: MetricRow | None) -> RowT:
    if count is None:
        return row
    reason = _said(count.reason, {count.metric})
    blocks = row.blocks or count.blocks
    return row.amended(
        checked=count.amended(metric=row.metric, reason=reason),
        blocks=blocks,
        accepted=(row.accepted or count.accepted) and not blocks,
        reason=reason if count.blocks and not row.blocks else row.reason,
    )


def _said(sentence: str, counts: Iterable[str]) -> str:
    for name in counts:
        sentence = sentence.replace(name, spoken(name))
    return sentence
