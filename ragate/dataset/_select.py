"""Part of a golden set, by id, tag, metadata and number."""

import difflib
import math
import re
from collections.abc import Callable, Collection, Sequence
from itertools import islice

from ragate.errors import UsageError
from ragate.models import Filters, MetadataValue, Sample
from ragate.support.spill import Spill

_CONDITION = re.compile(r"(.+?)(>=|<=|=)(.*)", re.DOTALL)


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
    _refuse_unknown("id", filters.ids, [sample.id for sample in samples])
    _refuse_unknown("tag", filters.tags, {tag for sample in samples for tag in sample.tags})
    ids, tags = set(filters.ids), set(filters.tags)
    conditions = [_condition(text, samples) for text in filters.where]
    passing = (
        sample
        for sample in samples
        if (not ids or sample.id in ids)
        and (not tags or not tags.isdisjoint(sample.tags))
        and all(meets(sample) for meets in conditions)
    )
    selected = Spill(Sample, islice(passing, filters.limit))
    if not selected:
        raise UsageError(
            "the filters leave no sample", remedy="--ids, --tags and --where must all fit"
        )
    return selected


def _condition(text: str, samples: Sequence[Sample]) -> Callable[[Sample], bool]:
    """Return whether a sample meets ``field=value``, ``field>=number`` or ``field<=number``."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise UsageError(
            f"--where {text!r}: must be FIELD=VALUE, FIELD>=NUMBER or FIELD<=NUMBER",
            remedy="a field of the samples' metadata, such as source=forum",
        )
    name, sign, expected = match[1].strip(), match[2], match[3].strip()
    _refuse_unknown("metadata field", [name], {key for s in samples for key in s.metadata})
    if sign == "=":
        return lambda sample: (
            name in sample.metadata and _written(sample.metadata[name]) == expected
        )
    limit = _number(expected)
    if math.isnan(limit):
        raise UsageError(f"--where {text!r}: {expected!r} is not a number")
    above = sign == ">="

    def meets(sample: Sample) -> bool:
        value = _number(sample.metadata.get(name))
        return value >= limit if above else value <= limit

    return meets


def _written(value: MetadataValue) -> str:
    """Return a value as it is typed on a command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: MetadataValue) -> float:
    """Return a number, NaN where it is none: NaN meets no condition."""
    if isinstance(value, bool) or value is None:
        return math.nan
    try:
        return float(value)
    except ValueError:
        return math.nan


def _refuse_unknown(noun: str, asked_for: Sequence[str], existing: Collection[str]) -> None:
    names = set(existing)
    for name in asked_for:
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1)
            examples = ", ".join(sorted(names)[:5])
            hint = (
                f"did you mean {close[0]!r}?" if close else f"it has {examples}" if examples else ""
            )
            raise UsageError(f"no sample has the {noun} {name!r}{'; ' if hint else ''}{hint}")
