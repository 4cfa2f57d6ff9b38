"""One sample of a run: whose output or score differs, where that came from, and its texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ragate.models.base import Frozen, SpokenEnum
from ragate.models.output import RetrievedChunk, Usage
from ragate.models.sample import MetadataValue, Turn
from ragate.models.score import Score

WORSE = frozenset({"worse", "failed", "mixed"})


class CauseKind(SpokenEnum):
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
    """What one side retrieved (document ids in rank order, repeats collapsed) and answered.

    Attributes:
        refused: The answer says that it does not know.
    """

    docs: tuple[str, ...] = ()
    answer: str | None = None
    error: str | None = None
    refused: bool = False


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

    @property
    def got_worse(self) -> bool:
        """Whether it failed, or a score fell."""
        return self.change in WORSE

    @property
    def came(self) -> tuple[int, int] | None:
        """How many documents came before and now, where one side has the other's first alone."""
        if self.baseline is None or self.candidate is None or self.candidate.error:
            return None
        before, after = self.baseline.docs, self.candidate.docs
        is_start = all(old == new for old, new in zip(before, after, strict=False))
        return (len(before), len(after)) if is_start and len(before) != len(after) else None

    @property
    def fewer(self) -> tuple[int, int] | None:
        """The same, where fewer came than before."""
        return self.came if self.came and self.came[1] < self.came[0] else None

    @property
    def unnamed(self) -> bool:
        """Whether the answer changed and neither side names a document: not "the same" ones."""
        sides, cause = (self.baseline, self.candidate), self.cause
        if cause is None or cause.kind not in (CauseKind.GENERATION, CauseKind.UNKNOWN):
            return False
        answers = [side.answer for side in sides if side and not side.docs and not side.error]
        return len(answers) == len(sides) and None not in answers and answers[0] != answers[1]


# Slotted dataclasses, not models: a page of a large golden set holds ten thousand of them.
@dataclass(frozen=True, slots=True)
class SampleScores:
    """One sample's scores on both sides, means over the runs, in the order of the details' metrics.

    None stands for "no value": unscored, not applicable, or not on that side.

    Attributes:
        hashes: Of a changed sample that both sides ran: its content, the output before, the output
            now; what a label of a review is about. Empty for others.
    """

    sample_id: str
    query: str
    tags: tuple[str, ...] = ()
    before: tuple[float | None, ...] = ()
    after: tuple[float | None, ...] = ()
    hashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SideEvidence:
    """What one side retrieved, with texts where they are known, and what it took.

    Attributes:
        chunks: In rank order; None where the texts were not kept.
        latency_s: Wall time in seconds.
    """

    chunks: tuple[RetrievedChunk, ...] | None = None
    usage: Usage | None = None
    latency_s: float | None = None


@dataclass(frozen=True, slots=True)
class EarlierOutcome:
    """What came of a sample in an earlier run.

    Attributes:
        created: ISO 8601, UTC. commit: "" where it is not known.
    """

    created: str
    commit: str
    outcome: "SampleOutcome"


@dataclass(frozen=True, slots=True)
class SampleEvidence:
    """Both sides of one changed sample, and what came of it in earlier runs, the newest first."""

    before: SideEvidence = SideEvidence()
    after: SideEvidence = SideEvidence()
    earlier: tuple[EarlierOutcome, ...] = ()


@dataclass(frozen=True, slots=True)
class RunDetails:
    """Every sample of a run beside the baseline.

    Attributes:
        metrics: Names of the metrics that `before` and `after` of each sample hold, in order.
        evidence: Of changed samples, the first of the report, by id.
        note: What is missing here and why, "" where nothing is.
    """

    metrics: tuple[str, ...] = ()
    samples: tuple[SampleScores, ...] = ()
    evidence: Mapping[str, SampleEvidence] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """What came of one sample of the candidate, means over its runs.

    Attributes:
        passes: Whether it passes: the scorecard, else every pass mark that a metric has; None where
            there is none, or nothing was scored. passed: The same in the baseline.
        scores: By metric, in its own unit; None where there is no value.
        latency_s: Wall time in seconds; None where it is not known.
    """

    sample_id: str
    passes: bool | None = None
    passed: bool | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    latency_s: float | None = None


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document that was retrieved: at the rank of its best chunk, 1 the best."""

    rank: int
    doc_id: str
    expected: bool


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that an answer cites by its number, with what the system said of it."""

    number: int
    doc_id: str
    metadata: dict[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """One sample in one pass of the candidate: what was asked, what came back, how it scored.

    Attributes:
        run: 0-based number of the pass.
        verdict: PASS or FAIL of the sample over its passes: by the scorecard or the pass marks,
            without any by the limits of the metrics that gate, and where one has none by its worst
            value.
        answer: None of a failed sample, and where `publish` keeps it at home.
        passing: By metric that has a pass mark, whether it is reached.
        citations: What the answer cites, each once, where the outputs are at hand.
        error: What went wrong, "" where nothing did.
        latency_s: Wall time in seconds; None where it is not known.
    """

    sample_id: str
    run: int
    query: str
    verdict: Literal["PASS", "FAIL"]
    answer: str | None
    retrieved: tuple[RankedDocument, ...]
    scores: dict[str, Score]
    latency_s: float | None = None
    error: str = ""
    passing: dict[str, bool] = field(default_factory=dict)
    citations: tuple[CitedPassage, ...] = ()
