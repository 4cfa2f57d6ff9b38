"""What a person said of one changed answer: a proposal, which no verdict reads."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ragate.models.base import Frozen

MOST_REASON = 300
MOST_NAME = 100
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class ReviewVerdict(StrEnum):
    """What a person says of the answer now, held against the baseline's."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    STALE_REFERENCE = "stale_reference"


class ReviewLabel(Frozen):
    """One person's word on one sample's pair of answers.

    Attributes:
        gate: The gate's name, as in the run.
        id: Of the sample.
        commit: The run's commit; "" where it was of no commit.
        reason: One line; "" where none was given.
        who: Who said it.
        blind: The person did not know which answer was the baseline's.
        sample: Hash of the sample as it was judged: a label ends where question, expected documents
            or references are mended.
        before, after: Hashes of the baseline's output and of the run's.
    """

    gate: str = Field(max_length=200)
    id: str = Field(min_length=1, max_length=200)
    commit: str = Field(default="", pattern=r"^([0-9a-f]{7,64})?$")
    verdict: ReviewVerdict
    reason: str = Field(default="", max_length=MOST_REASON)
    who: str = Field(min_length=1, max_length=MOST_NAME)
    blind: bool = False
    sample: Hash
    before: Hash
    after: Hash

    @property
    def subject(self) -> tuple[str, ...]:
        """What the label is about, and who speaks: a person has one word on one pair."""
        return (self.gate, self.id, self.sample, self.before, self.after, self.who)
