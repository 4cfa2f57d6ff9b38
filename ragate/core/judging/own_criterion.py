"""A criterion that a configuration words: what a judge is asked, and on which scale it replies."""

import re
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from ragate.core.hashing import digest
from ragate.core.judging.criteria import Criterion
from ragate.models import Frozen

PREFIX = "criterion."  # of the metric's name
# A share that passes and a count of what was checked are named so behind a metric's name.
_NAME = re.compile(r"criterion\.(?!(?:pass|checked)$)[a-z][a-z0-9_]{0,39}")
_HASH_DIGITS = 8


_SHORTEST, _LONGEST, _MOST = 10, 4000, 50
PLANTED_WORD = "marmalade"
_PLANTED = f"Does not mention {PLANTED_WORD}."
Guideline = Annotated[str, Field(min_length=_SHORTEST, max_length=_LONGEST)]


class OwnCriterion(Frozen):
    """A criterion of your own ([The judge](judge.md)): its keys beside those of every metric.

    Attributes:
        guidelines: In place of `ask`, up to 50: each is kept or not; the score is the share kept.
        ask: What the judge is told to decide, with what its grades mean; 10 to 4,000 characters, as
            each guideline.
        scale: Lowest and highest grade, 0 to 100; `[0, 1]` is no and yes. Higher is better.
        grounded: It reads the contexts: where nothing was retrieved it is the lowest grade.
    """

    CAME_LATER: ClassVar[frozenset[str]] = frozenset({"guidelines"})

    ask: Guideline = ""  # what is given has a length, and either is
    guidelines: tuple[Guideline, ...] = Field(default=(), max_length=_MOST)
    scale: tuple[int, int] = (0, 1)
    grounded: bool = False

    @model_validator(mode="after")
    def _rising(self) -> Self:
        low, high = self.scale
        if not 0 <= low < high <= 100:
            raise ValueError("scale goes from a lower to a higher whole number, 0 to 100 at most")
        if bool(self.ask) == bool(self.guidelines):
            raise ValueError("a criterion has either ask or guidelines")
        if self.guidelines and self.scale != (0, 1):
            raise ValueError("guidelines take no scale: each is kept or not")
        if len(set(self.guidelines)) != len(self.guidelines):
            raise ValueError("a guideline stands twice")
        if not all(map(str.strip, self.guidelines or (self.ask,))):
            raise ValueError("ask, or a guideline, is blank")
        return self

    @property
    def is_yes_or_no(self) -> bool:
        return self.scale == (0, 1) and not self.guidelines

    @property
    def usual_mark(self) -> float:
        """Grade that passes where nothing else is said: 4 on a scale from 1 to 5."""
        if self.guidelines:
            return 1.0
        low, high = self.scale
        return 0.5 if self.is_yes_or_no else low + 0.75 * (high - low)

    def holds(self, grade: float) -> bool:
        """Return whether a grade is one of the scale."""
        low, high = self.scale
        return low <= grade <= high and (bool(self.guidelines) or float(grade).is_integer())

    def criterion(self, identity: str) -> Criterion:
        """Return what a judge sorts outputs by."""
        low, high = self.scale
        fraction = self.is_yes_or_no or bool(self.guidelines)
        made = Criterion(
            identity,
            grounded=self.grounded,
            low=float(low),
            high=float(high),
            unit="fraction" if fraction else "grade",
        )
        # A refusal has to keep to the guidelines as well.
        return replace(made, exclude=lambda _sample: "") if self.guidelines else made

    def with_planted(self) -> "OwnCriterion":
        """Return the list with one more guideline, which a known answer breaks; as many at most."""
        return self.amended(guidelines=(*self.guidelines[: _MOST - 1], _PLANTED))

    def identified(self) -> dict[str, Any]:
        """Return what it is named by; without guidelines as before they came."""
        left_out = set() if self.guidelines else {"guidelines"}
        return self.model_dump(mode="json", exclude=left_out)


def is_own(metric: str) -> bool:
    """Return whether a metric is named as a criterion of a configuration."""
    return _NAME.fullmatch(metric) is not None


def identity(metric: str, own: OwnCriterion) -> str:
    """Return what a judge calls the criterion: another wording is another one.

    So a judgement that is remembered belongs to the words that led to it, and a new word in one
    criterion leaves the scores of all others comparable.
    """
    return f"{metric}#{digest(own.identified())[:_HASH_DIGITS]}"


def shown_name(criterion: str) -> str:
    """Return the name of a criterion for people."""
    return criterion.partition("#")[0]
