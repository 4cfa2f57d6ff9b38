"""Everything that a policy gates, as columns of a run: metrics, shares that pass, and slices."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ragate.config import Policy
from ragate.core.comparison.pass_columns import passing
from ragate.core.conditions import conditions_of
from ragate.core.rules.slices.slice_size import LEAST
from ragate.core.statistics.score_columns import SLACK
from ragate.models import (
    Direction,
    MetricInfo,
    Rule,
    Run,
    Sample,
    pass_name,
    rated_metric,
    slice_key,
)


class GatedColumn(NamedTuple):
    """One metric, or the share of its samples that pass, on all samples or on a slice.

    Attributes:
        name: What a reader calls it. wider: The columns that hold all of this one's samples.
        mark: The pass mark where it is a share.
        members: Samples of the slice, None for all. least: How many make it gate.
    """

    name: str
    metric: str
    wider: frozenset[str]
    mark: float | None = None
    members: frozenset[str] | None = None
    least: int = 1

    def is_at_worst(self, info: MetricInfo, value: float) -> bool:
        """Return whether one sample's value could not be worse."""
        if self.mark is not None:
            return not passing(info, self.mark, np.asarray(value))
        end = info.low if info.direction is Direction.HIGHER else info.high
        return end is not None and abs(value - end) <= SLACK


def gated_columns(policy: Policy, samples: Sequence[Sample]) -> list[GatedColumn]:
    """Return what can fail the gate; a metric that gates by its share or a slice alone is held too.

    A column at its worst makes every narrower one so: the mean of a metric its share that passes,
    and both every slice.
    """
    marks = {rule.metric: rule.pass_at for rule in policy.rules}
    columns = [GatedColumn(name, name, frozenset()) for name in sorted(policy.gated)]
    columns += [
        GatedColumn(pass_name(rule.metric), rule.metric, frozenset({rule.metric}), rule.pass_at)
        for rule in policy.metrics
        if _holds_share(rule)
    ]
    for part in policy.slices:
        if part.level == "error":
            conditions = conditions_of(part)
            members = frozenset(sample.id for sample in samples if conditions.fit(sample))
            for name in part.metrics:
                metric = rated_metric(name) or name
                mark = marks.get(metric) if metric != name else None
                wider = frozenset({metric, name})
                key = slice_key(part.name, name)
                columns.append(GatedColumn(key, metric, wider, mark, members, LEAST))
    return columns


def _holds_share(rule: Rule) -> bool:
    return rule.gates and rule.pass_rate is not None and rule.pass_rate.level == "error"


def at_worst(columns: Sequence[GatedColumn], run: Run) -> set[str]:
    """Return the names of the columns of which no value of any run could be worse."""
    infos = run.manifest.metrics
    worst: dict[str, set[str]] = {column.name: set() for column in columns}
    for column, sample_id, value in _values(columns, run):
        if column.name in worst:
            if column.is_at_worst(infos[column.metric], value):
                worst[column.name].add(sample_id)
            else:
                del worst[column.name]
    least = {column.name: column.least for column in columns}
    return {name for name, sample_ids in worst.items() if len(sample_ids) >= least[name]}


def widest(columns: Sequence[GatedColumn], names: Collection[str]) -> list[str]:
    """Return these names without those that only follow from a wider one."""
    held = set(names)
    return [
        column.name
        for column in columns
        if column.name in held and not held & (column.wider - {column.name})
    ]


def _values(columns: Sequence[GatedColumn], run: Run) -> Iterator[tuple[GatedColumn, str, float]]:
    """Yield every value with its column and sample; of the whole run it has no sample."""
    known = [column for column in columns if column.metric in run.manifest.metrics]
    of_samples = ((record.sample_id, record.scores) for record in run.records)
    for sample_id, scores in chain(of_samples, (("", scores) for scores in run.aggregates)):
        for column in known:
            score = scores.get(column.metric)
            inside = column.members is None or sample_id in column.members
            if inside and score is not None and score.value is not None:
                yield column, sample_id, score.value
