"""A smaller golden set that is like the whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ragate.core.hashing import digest
from ragate.dataset import Entry
from ragate.errors import UsageError


def take(entries: Sequence[Entry], count: int, *, by_tag: bool, seed: int) -> list[Entry]:
    """Return `count` samples in the order of the file, the same ones for the same seed.

    A sample's draw depends on its id and the seed alone, so that adding a sample elsewhere moves
    few others.

    Args:
        by_tag: Take of each first tag in proportion, and one of each where `count` allows.

    Raises:
        UsageError: there are fewer samples.
    """
    if count > len(entries):
        raise UsageError(f"{count} samples are wanted, and there are {len(entries)}")
    strata: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        strata[entry.sample.tags[0] if by_tag and entry.sample.tags else ""].append(entry)
    wanted = shares({name: len(found) for name, found in strata.items()}, count)
    taken = {
        entry.sample.id
        for name, found in strata.items()
        for entry in sorted(found, key=lambda one: digest([seed, one.sample.id]))[: wanted[name]]
    }
    return [entry for entry in entries if entry.sample.id in taken]


def shares(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """Return how many to take of each stratum: in proportion, by largest remainder.

    Where `count` is as large as the number of strata, each gives at least one.
    """
    total = sum(sizes.values())
    least = 1 if count >= len(sizes) else 0
    exact = {name: count * size / total for name, size in sizes.items()}
    found = {name: max(least, int(share)) for name, share in exact.items()}
    while sum(found.values()) > count:  # the strata that got their one cost the others
        name = max(
            (one for one in found if found[one] > least),
            key=lambda one: (found[one] - exact[one], found[one], one),
        )
        found[name] -= 1
    while sum(found.values()) < count:
        name = max(
            (one for one in found if found[one] < sizes[one]),
            key=lambda one: (exact[one] - found[one], sizes[one], one),
        )
        found[name] += 1
    return found
