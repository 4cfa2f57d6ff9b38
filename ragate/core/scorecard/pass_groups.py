"""Who passes: the pass rate by stage, by tag, and by the values of metadata fields."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.pass_columns import pass_column
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.pass_shares import pass_share, share_of
from ragate.core.statistics.score_columns import Mask
from ragate.models import PASSES, PassGroup, Sample, Scorecard

TAG = "tag"
MOST_OF_A_KIND = 20
_Group = tuple[str, str]


def pass_groups(
    card: Scorecard, cases: Sequence[MetricCase], comparison: Comparison
) -> Iterator[PassGroup]:
    """Yield the stages in order, then the groups of each kind, the largest first.

    A field that fewer than two values of are there tells nothing and has no group; of each kind
    the largest 20 are told.
    """
    by_name = {case.rule.metric: case for case in cases}
    for stage in card.stages:
        case = by_name.get(stage.metric)
        share = pass_share(case, comparison) if case is not None else None
        if share is not None:
            yield PassGroup(
                kind="stage",
                name=stage.name,
                share=share,
                metric=stage.metric,
                weight=stage.weight,
                required=stage.required,
            )
    case = by_name.get(PASSES)
    if case is None or case.column is None:
        return
    rated = pass_column(case.column, 1.0, comparison.unaffected)
    for kind in (TAG, *card.by):
        for name, members, added in _members(kind, comparison):
            part = replace(
                case,
                counted=case.counted & members,
                counted_added=case.counted_added & added,
            )
            yield PassGroup(kind=kind, name=name, share=share_of(part, rated, 1.0))


def _members(kind: str, comparison: Comparison) -> Iterator[tuple[str, Mask, Mask]]:
    """Yield each value of a kind with its matched and its other samples."""
    sides = (comparison.ids, comparison.added)
    values = [[_values(kind, comparison.samples[key]) for key in side] for side in sides]
    sizes: dict[str, int] = {}
    for of_sample in (each for side in values for each in side):
        for value in of_sample:
            sizes[value] = sizes.get(value, 0) + 1
    if kind != TAG and len(sizes) < 2:
        return
    largest = sorted(sizes, key=lambda value: (-sizes[value], value))[:MOST_OF_A_KIND]
    for value in largest:
        members, added = (
            np.array([value in of_sample for of_sample in side], dtype=bool) for side in values
        )
        yield value, members, added


def _values(kind: str, sample: Sample) -> tuple[str, ...]:
    if kind == TAG:
        return sample.tags
    value = sample.metadata.get(kind)
    return () if value is None else (str(value),)
