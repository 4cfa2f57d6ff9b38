"""What was measured: one score of one metric on one sample."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ragate.models.base import Frozen, SpokenEnum


class ScoreState(SpokenEnum):
    """Whether a score has a value, does not apply to its sample, or could not be measured."""

    VALUE = "value"
    NOT_APPLICABLE = "not_applicable"
    UNSCORED = "unscored"


Detail = float | int | bool | str
_MOST_DETAILS = 50
_LONGEST_DETAIL = 2_000


# A slotted dataclass, not a model: a comparison of two 10,000-sample runs holds half a million.
@dataclass(frozen=True, slots=True)
class Score:
    """One metric on one sample.

    Attributes:
        details: Figures and texts of the metric's own, which decide nothing; None for none.

    Raises:
        ValueError: the state and the value disagree, or the value is not finite.
    """

    metric: str
    value: float | None = None
    state: ScoreState = ScoreState.VALUE
    reason: str = ""
    details: dict[str, Detail] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.value is None:
            agrees = self.state is not ScoreState.VALUE
        else:
            agrees = self.state is ScoreState.VALUE and math.isfinite(self.value)
        if not agrees:
            raise ValueError(f"{self.metric}: a {self.state} score cannot hold {self.value}")
        # It is written to files, where half of a character cannot stand.
        if isinstance(self.reason, str) and not self.reason.isascii():
            whole = self.reason.encode("utf-8", "replace").decode()
            object.__setattr__(self, "reason", whole)


_MOST_SHARED = 4096  # where values hardly repeat, a larger table would cost more than it saves
_SCORES: dict[tuple[str, str, str, str], Score] = {}
_ROWS: dict[tuple[tuple[str, ...], tuple[int, ...]], dict[str, Score]] = {}


def shared_scores(scores: Mapping[str, Score]) -> dict[str, Score]:
    """Return the same scores by name in little memory: equal ones are one object.

    Nothing may be written to what is returned.
    """
    row = {name: _shared(score) for name, score in scores.items()}
    # A number of an object stays its own as long as the table holds the object.
    key = tuple(row), tuple(map(id, row.values()))
    if key not in _ROWS and len(_ROWS) >= _MOST_SHARED:
        return row
    return _ROWS.setdefault(key, row)


def _shared(score: Score) -> Score:
    # As text, 0.0 and -0.0 differ, and so do 1 and 1.0.
    key = (score.metric, str(score.value), score.state, score.reason)
    if score.details or (key not in _SCORES and len(_SCORES) >= _MOST_SHARED):
        return score
    return _SCORES.setdefault(key, score)


def plain_details(details: object) -> dict[str, Detail] | None:
    """Return what of a metric's details can be stored: short texts and finite numbers, by name."""
    if not isinstance(details, Mapping):
        return None
    kept = {
        name: value[:_LONGEST_DETAIL].encode("utf-8", "replace").decode()
        if isinstance(value, str)
        else value
        for name, value in list(details.items())[:_MOST_DETAILS]
        if isinstance(name, str)
        and (isinstance(value, str) or (isinstance(value, int | float) and math.isfinite(value)))
    }
    return kept or None


def not_applicable(metric: str, reason: str) -> Score:
    """Return a score for a sample the metric cannot speak about (no label, unanswerable)."""
    return Score(metric=metric, state=ScoreState.NOT_APPLICABLE, reason=reason)


def unscored(metric: str, reason: str) -> Score:
    """Return a score that was wanted and could not be measured; it is never read as 0."""
    return Score(metric=metric, state=ScoreState.UNSCORED, reason=reason)


_SLACK = 1e-9


class Direction(StrEnum):
    """Which way is good."""

    HIGHER = "higher"
    LOWER = "lower"


class Reads(StrEnum):
    """What a metric looks at, and so what must repeat for it to be deterministic."""

    RETRIEVAL = "retrieval"
    ANSWER = "answer"
    RUN = "run"


class Needs(StrEnum):
    """What a metric needs to be computed."""

    NOTHING = "nothing"
    EMBEDDINGS = "embeddings"
    MODEL = "model"
    JUDGE = "judge"


ASKED = frozenset({Needs.EMBEDDINGS, Needs.MODEL})
"""What a metric asks for itself, output by output."""


class MetricInfo(Frozen):
    """What a metric is; stored with every run, since names mean different things elsewhere.

    Attributes:
        name: Its identity, cut-off included: ``ndcg@10``.
        version: Raised whenever a score could change.
        direction: Which way is good.
        low: Smallest possible value. high: Largest, None where unbounded (seconds, tokens).
        reads: Which part of the output it looks at.
        needs: Nothing, embeddings, a model of its own, or the judge.
        aggregate: True for rates and percentiles over the whole run: shown and floored, never in
            the family.
        unit: ``fraction``, ``grade`` (1 to 5), ``seconds``, ``tokens``, ``dollars`` or ``count``.
        fingerprint: Hash of formula version and settings; scores compare only where it is equal.
        falls_reworded: Share of its range by which its mean falls where answers are worded
            otherwise and say the same.
    """

    name: str
    version: int = 1
    direction: Direction = Direction.HIGHER
    low: float = 0.0
    high: float | None = 1.0
    reads: Reads = Reads.ANSWER
    needs: Needs = Needs.NOTHING
    aggregate: bool = False
    unit: str = "fraction"
    fingerprint: str = ""
    falls_reworded: float = 0.0

    @property
    def worst(self) -> float | None:
        """The bad end of its range, None where there is none."""
        return self.low if self.direction is Direction.HIGHER else self.high

    @property
    def best(self) -> float | None:
        """The good end of its range, None where there is none."""
        return self.high if self.direction is Direction.HIGHER else self.low

    def reaches(self, mark: float, value: float) -> bool:
        """Return whether a value is as good as a mark, both in its own unit."""
        if self.direction is Direction.HIGHER:
            return value >= mark - _SLACK
        return value <= mark + _SLACK

    def goodness(self, value: float) -> float:
        """Return a value on a scale from 0 (worst) to 1 (best); without a high end 1 is taken."""
        share = (value - self.low) / ((1.0 if self.high is None else self.high) - self.low)
        return share if self.direction is Direction.HIGHER else 1.0 - share

    @property
    def is_expense(self) -> bool:
        """Whether it counts what one answer takes: no part of the family of quality metrics."""
        takes = self.unit in {"tokens", "dollars"} and self.high is None
        return takes and not self.aggregate and self.direction is Direction.LOWER
