"""Part of a golden set, by id, tag, metadata and number."""

from collections.abc import Sequence
from itertools import islice

from ragate.core.conditions import read_conditions, refuse_unknown
from ragate.errors import UsageError
from ragate.models import Filters, Sample
from ragate.support.spill import Spill


def select(samples: Sequence[Sample], filters: Filters) -> Sequence[Sample]:
    """Return the samples that pass every filter, in the order of the golden set.

    A sample passes ``tags`` when it has any of them, and ``where`` when it meets every condition;
    ``limit`` is applied last.

    Raises:
        UsageError: an id, a tag or a metadata field is nowhere in the golden set, a condition is
            none, or no sample is left.
    """
    if not filters.narrows:
        return samples
    refuse_unknown("id", filters.ids, [sample.id for sample in samples])
    conditions = read_conditions(filters.tags, filters.where)
    conditions.refuse_unknown(samples)
    ids = set(filters.ids)
    passing = (
        sample for sample in samples if (not ids or sample.id in ids) and conditions.fit(sample)
    )
    selected = Spill(Sample, islice(passing, filters.limit))
    if not selected:
        raise UsageError(
            "the filters leave no sample", remedy="--ids, --tags and --where must all fit"
        )
    return selected
