"""Part of a golden set, by id, tag and number."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from ragate.errors import UsageError
from ragate.models import Filters, Sample


def select(samples: Sequence[Sample], filters: Filters) -> list[Sample]:
    """Return the samples that pass every filter, in the order of the golden set.

    A sample passes ``tags`` when it has any of them; ``limit`` is applied last.

    Raises:
        UsageError: an id or a tag is nowhere in the golden set, or no sample is left.
    """
    _refuse_unknown("id", filters.ids, [sample.id for sample in samples])
    _refuse_unknown("tag", filters.tags, {tag for sample in samples for tag in sample.tags})
    ids, tags = set(filters.ids), set(filters.tags)
    found = [
        sample
        for sample in samples
        if (not ids or sample.id in ids) and (not tags or not tags.isdisjoint(sample.tags))
    ][: filters.limit]
    if not found:
        raise UsageError(
            "the filters leave no sample", remedy="--ids and --tags together must both fit"
        )
    return found


def _refuse_unknown(what: str, wanted: Sequence[str], known: Collection[str]) -> None:
    names = set(known)
    for name in wanted:
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1)
            some = ", ".join(sorted(names)[:5])
            hint = f"did you mean {close[0]!r}?" if close else f"it has {some}" if some else ""
            raise UsageError(f"no sample has the {what} {name!r}{'; ' if hint else ''}{hint}")
