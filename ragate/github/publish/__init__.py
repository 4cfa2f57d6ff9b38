"""Where a verdict is told: status, comment, summary, annotations, outputs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class VerdictTarget:
    """What a verdict is about: where its status and its comment go.

    Attributes:
        head: The commit that gets the status: a pull request's head, not its merge commit.
        number: The pull request that gets the comment; None where there is none.
    """

    gate: str
    head: str
    number: int | None = None
