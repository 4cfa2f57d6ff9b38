"""Samples whose passages are arranged before the answer is written: not every system can."""

from collections.abc import Iterable

from ragate.errors import ConfigError
from ragate.models import Sample
from ragate.protocols import PassageArranger, System


def refuse_unarranged(use: str, system: System, samples: Iterable[Sample]) -> None:
    """Refuse a run whose answers to some samples would be of something else than they ask.

    Raises:
        ConfigError: the system arranges nothing, and a sample wants it.
    """
    if isinstance(system, PassageArranger) and system.arranges:
        return
    found = [sample for sample in samples if sample.arrange]
    if found:
        first, more = found[0], f" (and {len(found) - 1} more)" if found[1:] else ""
        raise ConfigError(
            f"the sample {first.id}{more} has arrange = {first.arrange!r}, which the system "
            f"{use} cannot do: retrieval and answer are one step of it",
            remedy="remove these samples or leave them out by --tags, or let the system do it: "
            "pgvector does, and a function with a parameter `arrange` (docs/robustness.md)",
        )
