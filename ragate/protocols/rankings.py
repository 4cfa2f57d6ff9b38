"""What a metric may know of the baseline's retrieval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class EarlierRankings:
    """What the baseline's first run retrieved.

    Attributes:
        docs: Document ids by content hash of the sample, each once and best first; a sample on
            which the system failed is missing. None where there is no baseline.
        itself: A baseline is recorded, and is compared with itself.
    """

    docs: Mapping[str, Sequence[str]] | None = None
    itself: bool = False


NO_RANKINGS = EarlierRankings()
