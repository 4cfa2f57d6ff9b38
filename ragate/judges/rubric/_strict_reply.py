"""What a reply is refused for: its form, and numbers that are missing, double or unknown."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ragate.judges._asking import InvalidReplyError


class NotAJudgementError(InvalidReplyError):
    """An invalid reply; `kind` says in a few words what is wrong with it."""

    kind = "numbers in it are missing, double or unknown"


class NotJsonError(NotAJudgementError):
    kind = "not JSON"


class OtherShapeError(NotAJudgementError):
    kind = "not an instance of the schema"


class Strict(BaseModel):
    """A part of a reply: exact types, no other keys."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


Number = Annotated[int, Field(ge=1)]


def exactly(where: str, numbers: Sequence[int], expected: Sequence[int]) -> None:
    """Every number once and in order, so that nothing is left out and nothing counts twice."""
    if list(numbers) == list(expected):
        return
    missing = sorted(set(expected) - set(numbers))
    if missing:
        raise NotAJudgementError(f"{where}: number {missing[0]} is missing")
    refuse_above(where, numbers, max(expected, default=0))
    distinct(where, numbers)
    raise NotAJudgementError(f"{where}: the numbers are not in order")


def refuse_above(where: str, numbers: Sequence[int], highest: int) -> None:
    for number in numbers:
        if number > highest:
            raise NotAJudgementError(f"{where}: there is no number {number}")


def distinct(where: str, numbers: Sequence[int]) -> None:
    if len(set(numbers)) != len(numbers):
        raise NotAJudgementError(f"{where}: a number stands twice")
