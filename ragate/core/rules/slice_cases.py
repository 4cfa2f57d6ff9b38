"""The metrics of each slice as cases of their own: which samples count, and which drop is red.

And how much a slice has to hold before it can fail the gate.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.sample_matching import cluster_numbers
from ragate.core.conditions import conditions_of
from ragate.core.rules.checked_columns import counts_only, varies
from ragate.core.rules.checked_metric import checked_name
from ragate.core.rules.metric_case import MetricCase, pass_case
from ragate.core.rules.metric_family import allowed_drop
from ragate.core.statistics.score_columns import Mask
from ragate.models import DecisionSettings, Rule, Slice, pass_name, rated_metric

LEAST_LOST = 2  # whole samples that are lost before a slice is red
SHARE = 0.25  # of alpha, for all slices together; the metrics over the whole set keep the rest
LEAST = 20  # samples of a slice that can fail the gate
LEAST_CLUSTERS = 8


@dataclass(frozen=True)
class SliceCase:
    """One metric on one slice.

    Attributes:
        case: The metric on the samples of the slice; it gates where enough of them count.
        members: (matched samples,) True for the samples of the slice.
        too_few: Why it is shown only although the policy would gate it, "" where it is not.
    """

    part: Slice
    case: MetricCase
    members: Mask
    too_few: str = ""


def is_split(slice_cases: Iterable[SliceCase]) -> bool:
    """Return whether slices share alpha with the whole set: by what exists, not by any score."""
    return any(each.case.gates for each in slice_cases)


def on_all(settings: DecisionSettings) -> DecisionSettings:
    """Return the settings of the whole set where slices have their share of alpha."""
    return settings.amended(alpha=(1 - SHARE) * settings.alpha)


def on_slices(settings: DecisionSettings, cases: Iterable[MetricCase]) -> DecisionSettings:
    """Return the settings of all slices together: alpha is theirs where nothing else can fail.

    Args:
        cases: Those over the whole set.
    """
    is_shared = any(case.gates and case.aggregate is None for case in cases)
    return settings.amended(alpha=SHARE * settings.alpha) if is_shared else settings


def read_slice_cases(
    slices: Sequence[Slice],
    cases: Sequence[MetricCase],
    comparison: Comparison,
) -> list[SliceCase]:
    """Return a case for each metric of each slice; one that this run left out has none.

    A sample belongs to a slice by the golden set that decides, which in CI is the base's.

    Args:
        cases: Those over the whole set.
    """
    by_name = {case.name: case for case in (*_pass_rates(slices, cases), *cases)}
    slice_cases = []
    inside = membership(slices, comparison, comparison.ids)
    added_inside = membership(slices, comparison, comparison.added)
    for part, members, added in zip(slices, inside, added_inside, strict=True):
        for metric in _with_counts(part, members, by_name, comparison):
            whole = by_name[metric]
            case = replace(
                whole,
                counted=whole.counted & members,
                counted_added=whole.counted_added & added,
                slice=part.name,
            )
            slice_cases.append(_slice_case(part, case, members))
    return slice_cases


def _pass_rates(slices: Sequence[Slice], cases: Sequence[MetricCase]) -> list[MetricCase]:
    """Return the pass rates that slices hold, whether the policy holds them on the whole or not."""
    named = {metric for part in slices for metric in part.metrics}
    return [
        pass_case(case, Rule(metric=pass_name(case.name)))
        for case in cases
        if case.rule.pass_at is not None and pass_name(case.name) in named
    ]


def membership(slices: Sequence[Slice], comparison: Comparison, ids: Sequence[str]) -> Mask:
    """Return (slices, ids) who is in which slice; each sample is read once."""
    members = np.zeros((len(slices), len(ids)), dtype=bool)
    if slices:
        parts = [conditions_of(part) for part in slices]
        for row, key in enumerate(ids):
            sample = comparison.samples[key]
            members[:, row] = [conditions.fit(sample) for conditions in parts]
    return members


def _with_counts(
    part: Slice, members: Mask, by_name: Mapping[str, MetricCase], comparison: Comparison
) -> list[str]:
    """Return the slice's metrics, each with the count of what it checks where that varies."""
    names = []
    for metric in part.metrics:
        if metric not in by_name:
            continue
        names.append(metric)
        count = checked_name(rated_metric(metric) or metric)
        column = comparison.columns.get(count)
        if column is not None and count in by_name and varies(column, members):
            names.append(count)
    return names


def _slice_case(
    part: Slice,
    case: MetricCase,
    members: Mask,
) -> SliceCase:
    n = int(case.counted.sum())
    few = too_few(case) if part.level == "error" else ""
    level = "warn" if few else part.level
    info = case.info.amended(name=case.name)
    rule = _rule(part, case, n).amended(level=level)
    least = (LEAST, LEAST_CLUSTERS) if level == "error" else (0, 0)
    held = replace(case, rule=rule, info=info, least=least)
    return SliceCase(part, held, members, few)


def _rule(part: Slice, case: MetricCase, n: int) -> Rule:
    """Return the metric's rule on the slice; what it allows is at least two whole samples."""
    span = case.column.span if case.column is not None else 1.0
    allowed = max(allowed_drop(case.rule, case.info, span), LEAST_LOST / max(n, 1))
    of_counts = case.column is not None and counts_only(case.rule.metric, case.comparison.columns)
    return Rule(
        metric=case.rule.metric,
        max_drop=allowed * span,
        pass_at=case.rule.pass_at,
        minimum=None if of_counts else part.minimum,
        maximum=None if of_counts else part.maximum,
    )


def too_few(case: MetricCase) -> str:
    """Return why a slice is shown only, "" where as much counts as can fail the gate.

    Samples that the baseline does not know yet count as well: what was not measured leaves a slice
    undecided, it does not make it a small one.
    """
    ids, comparison = case.ids, case.comparison
    if len(ids) < LEAST:
        return f"{len(ids)} samples count: shown only, from {LEAST} on a slice can fail the gate"
    numbers = cluster_numbers(comparison.samples, ids, comparison.cluster)
    clusters = LEAST_CLUSTERS if numbers is None else len(np.unique(numbers))
    if clusters < LEAST_CLUSTERS:
        return (
            f"{clusters} clusters: shown only, from {LEAST_CLUSTERS} on a slice can fail the gate"
        )
    return ""
