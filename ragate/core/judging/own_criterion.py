"""A criterion that a configuration words: what a judge is asked, and on which scale it replies."""

import re
from typing import Self

from pydantic import Field, model_validator

from ragate.core.hashing import digest
from ragate.core.judging.criteria import Criterion
from ragate.models import Frozen

PREFIX = "criterion."  # of the metric's name
# A share that passes and a count of what was checked are named so behind a metric's name.
_NAME = re.compile(r"criterion\.(?!(?:pass|checked)$)[a-z][a-z0-9_]{0,39}")
_HASH_DIGITS = 8


class OwnCriterion(Frozen):
    """``[policy.metrics."criterion.<name>"]``: the keys that are not a rule's.

    Attributes:
        ask: What the judge is told to decide, with what its grades mean.
        scale: Lowest and highest grade, whole numbers; [0, 1] is no and yes. Higher is better.
        grounded: It reads the contexts: where nothing was retrieved it is the lowest grade.
    """

    ask: str = Field(min_length=10, max_length=4000)
    scale: tuple[int, int] = (0, 1)
    grounded: bool = False

    @model_validator(mode="after")
    def _rising(self) -> Self:
        low, high = self.scale
        if not 0 <= low < high <= 100:
            raise ValueError("scale goes from a lower to a higher whole number, 0 to 100 at most")
        if not self.ask.strip():
            raise ValueError("ask is blank")
        return self

    @property
    def is_yes_or_no(self) -> bool:
        return self.scale == (0, 1)

    @property
    def usual_mark(self) -> float:
        """Grade that passes where nothing else is said: 4 on a scale from 1 to 5."""
        low, high = self.scale
        return 0.5 if self.is_yes_or_no else low + 0.75 * (high - low)

    def holds(self, grade: float) -> bool:
        """Return whether a grade is one of the scale."""
        low, high = self.scale
        return low <= grade <= high and float(grade).is_integer()

    def criterion(self, identity: str) -> Criterion:
        """Return what a judge sorts outputs by."""
        low, high = self.scale
        unit = "fraction" if self.is_yes_or_no else "grade"
        return Criterion(
            identity, grounded=self.grounded, low=float(low), high=float(high), unit=unit
        )


def is_own(metric: str) -> bool:
    """Return whether a metric is named as a criterion of a configuration."""
    return _NAME.fullmatch(metric) is not None


def identity(metric: str, own: OwnCriterion) -> str:
    """Return what a judge calls the criterion: another wording is another one.

    So a judgement that is remembered belongs to the words that led to it, and a new word in one
    criterion leaves the scores of all others comparable.
    """
    return f"{metric}#{digest(own.model_dump(mode='json'))[:_HASH_DIGITS]}"


def shown_name(criterion: str) -> str:
    """Return the name of a criterion for people."""
    return criterion.partition("#")[0]
