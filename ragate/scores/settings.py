"""The keys of ``[system] use = "scores"``."""

from pydantic import Field

from ragate.models import Frozen


class Settings(Frozen):
    """Scores that an evaluator wrote; nothing is run and nothing is asked: [Scores](scores.md).

    Attributes:
        paths: Files of scores, folders or patterns, in `scores_paths` of the policy; several are
            several runs.
        reader: [Who wrote them](scores.md); empty: as their content shows.
    """

    paths: tuple[str, ...] = Field(min_length=1)
    reader: str = ""
