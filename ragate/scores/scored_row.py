"""One sample as an evaluator wrote it down: what was asked, what came back, and its scores."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple


class Lack(NamedTuple):
    """Why there is no score.

    Attributes:
        silent: It was not wanted: a test that was skipped.
    """

    reason: str
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Details:
    """What a row says beside its scores.

    Attributes:
        answer, contexts: None where the file does not hold them.
        failed: Why there is no output, "" where there is one.
        reasons: By metric, what was said of the score.
        words: By column, what no number is: a part of the samples may be held by it.
    """

    input: str = ""
    expected: str = ""
    answer: str | None = None
    contexts: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()
    failed: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    cost_usd: float | None = None
    latency_s: float | None = None


NO_DETAILS = Details()


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One row of a file of scores.

    Attributes:
        place: Where it stands, for messages.
        key: The sample's id, "" where the file has none.
        run: Number of the pass, where the file numbers them.
        system: What is scored, where the file says that: its samples are told apart by it.
        scores: By metric, as the file spells it: a number, or why there is none.
        texts: Which of these are columns whose cell is a text and no number.
        marks: By metric, the value from which on the tool calls it passed.
        flags: By metric, whether the tool says that it passed.
        judge: Who judged, as the row says.
    """

    place: str
    details: Details = NO_DETAILS
    key: str = ""
    run: int | None = None
    system: str = ""
    scores: Mapping[str, float | Lack] = field(default_factory=dict)
    texts: Set[str] = frozenset()
    marks: Mapping[str, float] = field(default_factory=dict)
    flags: Mapping[str, bool] = field(default_factory=dict)
    judge: str = ""


@dataclass(frozen=True)
class Facts:
    """What a file says of itself.

    Attributes:
        reader: The tool that wrote it.
        judge, version: Who judged, and the evaluator's version; "" where it does not say.
        run_id, created: Of the evaluation; "" where it does not say.
        unfinished: Why it is no whole evaluation, "" where nothing says so.
        left_out: Columns of numbers that are no scores.
    """

    reader: str
    judge: str = ""
    version: str = ""
    run_id: str = ""
    created: str = ""
    unfinished: str = ""
    left_out: tuple[str, ...] = ()
