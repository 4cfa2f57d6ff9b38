"""A smaller golden set that is like the whole."""

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
        raise UsageError(
            f"{count} samples are wanted, and there are {len(entries)} that are no drafts",
            remedy="name a smaller number",
        )
    strata: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        strata[entry.sample.tags[0] if by_tag and entry.sample.tags else ""].append(entry)
    quotas = shares({name: len(stratum) for name, stratum in strata.items()}, count)
    taken = {
        entry.sample.id
        for name, stratum in strata.items()
        for entry in sorted(stratum, key=lambda entry: digest([seed, entry.sample.id]))[
            : quotas[name]
        ]
    }
    return [entry for entry in entries if entry.sample.id in taken]


def shares(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """Return how many to take of each stratum: in proportion, by largest remainder.

    Where `count` is as large as the number of strata, each gives at least one.
    """
    total = sum(sizes.values())
    least = 1 if count >= len(sizes) else 0
    exact = {name: count * size / total for name, size in sizes.items()}
    counts = {name: max(least, int(share)) for name, share in exact.items()}
    while sum(counts.values()) > count:  # the strata that got their one cost the others
        name = max(
            (stratum for stratum in counts if counts[stratum] > least),
            key=lambda stratum: (counts[stratum] - exact[stratum], counts[stratum], stratum),
        )
        counts[name] -= 1
    while sum(counts.values()) < count:
        name = max(
            (stratum for stratum in counts if counts[stratum] < sizes[stratum]),
            key=lambda stratum: (exact[stratum] - counts[stratum], sizes[stratum], stratum),
        )
        counts[name] += 1
    return counts
