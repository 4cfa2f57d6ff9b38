"""One sample whose output or score differs, and where that came from."""

from enum import StrEnum
from typing import Literal

from ragate.models.base import Frozen
from ragate.models.sample import Turn


class CauseKind(StrEnum):
    """Where a flip came from."""

    RETRIEVAL = "retrieval"
    GENERATION = "generation"
    JUDGE = "judge"
    DATA = "data"
    SYSTEM_ERROR = "system_error"
    DRIFT = "drift"
    UNKNOWN = "unknown"


class Cause(Frozen):
    """Where one flip came from, and the evidence for it, in plain words and as ids.

    Attributes:
        lost: Expected documents that are no longer retrieved.
        displaced_by: What stands in their place.
        edited: Documents that came back with other text than before.
    """

    kind: CauseKind
    evidence: str
    lost: tuple[str, ...] = ()
    displaced_by: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()


class RankChange(Frozen):
    """The rank of one expected document before and after; None where it was not retrieved."""

    doc_id: str
    before: int | None
    after: int | None


class ScoreChange(Frozen):
    """One metric on one sample, means over the runs of each side; None where there is no value.

    Attributes:
        passed, passes: Whether most runs before, and now, reach the metric's pass mark; None where
            it has none, or nothing was scored.
    """

    metric: str
    before: float | None
    after: float | None
    reason: str = ""
    passed: bool | None = None
    passes: bool | None = None


class SampleSide(Frozen):
    """What one side retrieved (document ids in rank order, repeats collapsed) and answered."""

    docs: tuple[str, ...] = ()
    answer: str | None = None
    error: str | None = None


class SampleRow(Frozen):
    """One sample whose output or score differs between the two sides.

    Attributes:
        messages: Earlier turns of the conversation that `query` follows.
        slices: Those of the policy that it is in.
    """

    sample_id: str
    query: str
    messages: tuple[Turn, ...] = ()
    tags: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    must_pass: bool = False
    change: Literal["worse", "better", "mixed", "same", "failed", "new"]
    expected: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    baseline: SampleSide | None = None
    candidate: SampleSide | None = None
    ranks: tuple[RankChange, ...] = ()
    scores: tuple[ScoreChange, ...] = ()
    cause: Cause | None = None
