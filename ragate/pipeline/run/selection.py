"""What part of the golden set is run, and how."""

from dataclasses import dataclass, field

from ragate.models import Filters


@dataclass(frozen=True)
class Selection:
    """What part of the golden set is run, and how.

    Attributes:
        top_k: ``--top-k``, None for the system's own.
        runs: Passes of the first look, at least 1.
        eval_date: What ``{today}`` in a question stands for, "" for today.
    """

    filters: Filters = field(default_factory=Filters)
    top_k: int | None = None
    retrieval_only: bool = False
    runs: int = 1
    eval_date: str = ""
