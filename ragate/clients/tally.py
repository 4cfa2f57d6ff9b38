"""What the models cost in one run."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass
class Tally:
    """What the models cost in one run.

    Attributes:
        calls: Requests that may be billed, repeats included; refused ones (429, 401) are not.
        retries: Requests that repeated an earlier one.
        rejected: Requests refused for being one too many (429).
        failed: Questions that stayed without an answer after all tries.
        reused: Answers taken from memory: from the baseline, or from an earlier run.
        embeddings_reused: Vectors taken from memory.
        unpriced: Answered calls whose model has no known price; `cost_usd` lacks them.
        saved_usd: What the reused answers cost when they were made, where that is known.
    """

    calls: int = 0
    retries: int = 0
    rejected: int = 0
    failed: int = 0
    reused: int = 0
    embeddings_reused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    saved_usd: float = 0.0

    def __add__(self, other: "Tally") -> "Tally":
        mine, theirs = asdict(self), asdict(other)
        summed: dict[str, Any] = {name: mine[name] + theirs[name] for name in mine}
        return Tally(**summed)


def read_tally(told: Mapping[str, object]) -> Tally:
    """Return the tally that another process told; what is no number above 0 is taken for 0."""
    known: dict[str, Any] = {}
    for name, value in asdict(Tally()).items():
        said = told.get(name)
        sensible = isinstance(said, int | float) and 0 < said < 1e12
        known[name] = type(value)(said) if sensible else value
    return Tally(**known)
