"""What comes back: the system's output for one sample."""

from functools import lru_cache
from typing import Literal

from pydantic import Field, JsonValue

from ragate.models.base import Frozen, lean
from ragate.models.sample import MetadataValue


class RetrievedChunk(Frozen):
    """One retrieved passage, with its full text; its place in the list is its rank.

    In a baseline and in a run's score file the text is empty: `retrieval_hash` stands for it.
    """

    doc_id: str = Field(min_length=1)
    text: str = ""
    score: float | None = None
    metadata: dict[str, MetadataValue] = Field(default_factory=dict)


@lru_cache(maxsize=10_000)
def bare_chunk(doc_id: str) -> RetrievedChunk:
    """Return a chunk without text, which is its id: equal ones are shared, there are very many."""
    return lean(RetrievedChunk(doc_id=doc_id))


class ToolCall(Frozen):
    """One call of a tool that the system made or proposed.

    Attributes:
        malformed: What stood for its arguments where that is no JSON object, else "".
    """

    name: str
    arguments: dict[str, JsonValue] = {}
    malformed: str = ""


class CallResult(Frozen):
    """What came of a call that was carried out.

    Attributes:
        error: Why there is no value, "" where there is one.
        unreachable: The tool could not be reached: it says nothing about the call.
    """

    value: JsonValue = None
    error: str = ""
    unreachable: bool = False


class Executed(Frozen):
    """The results of an output's calls, and of the right ones at the same time."""

    made: tuple[CallResult, ...] = ()
    expected: tuple[CallResult, ...] = ()


class ReportedScore(Frozen):
    """A score that an evaluator gave an output.

    Attributes:
        value: None where there is none; `reason` says why.
        silent: None was wanted.
        judge: Who judged, with the evaluator's version, as far as it says.
    """

    value: float | None = None
    reason: str = ""
    silent: bool = False
    judge: str = ""


_MOST_COUNTED = 10**15  # a whole number of 400 digits is JSON too, and no float holds it
MOST_MEASURED = 1e12  # US dollars, or seconds: 1e308 would be shown with all of its digits


class Usage(Frozen):
    """What one output cost: counts, and US dollars where the price is known."""

    calls: int = Field(default=0, ge=0, le=_MOST_COUNTED)
    prompt_tokens: int = Field(default=0, ge=0, le=_MOST_COUNTED)
    completion_tokens: int = Field(default=0, ge=0, le=_MOST_COUNTED)
    cost_usd: float | None = Field(default=None, ge=0, le=MOST_MEASURED)


class Failure(Frozen):
    """Why there is no output.

    Attributes:
        kind: ``system``: the system under test failed (exception, timeout, empty answer), which is
            scored as the worst value. ``provider``: a model service failed after retries or the
            request was never answered, which is unscored, whoever called it.
        message: One line for a person, without secrets.
    """

    kind: Literal["system", "provider"]
    message: str


class SystemOutput(Frozen):
    """What the system under test returned for one sample.

    Attributes:
        chunks: Retrieved passages in rank order, best first; may be empty.
        answer: None where no answer was asked for (retrieval only), "" where it stayed empty.
        citations: 1-based numbers of the cited chunks as the system itself reports them, 0 for one
            that resolves to no chunk; None where it reports none and only markers [n] can be read.
        tool_calls: Calls in order; None where the system has no tools.
        usage: Model calls and tokens of this output.
        latency_s: Wall time in seconds.
        first_token_s: Seconds until the first text of the answer, where it came in a stream.
        error: Set where the system or a provider failed.
        request_hash: Hash of the whole model request, where the system knows it.
        first_stage: Where the system reranks: document ids as they were ranked before, best first,
            with those that reranking then dropped; None where it does not, or does not say.
        finish_reason: Why the model stopped, as it says; "" where that is not known.
        executed: Results of its calls, where they were carried out. No part of `output_hash`: the
            world may change while the system repeats.
        reported: Scores of an evaluator that saw it, by metric; None where none did.
    """

    chunks: tuple[RetrievedChunk, ...] = ()
    answer: str | None = None
    citations: tuple[int, ...] | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    usage: Usage | None = None
    latency_s: float | None = Field(default=None, ge=0, le=MOST_MEASURED)
    first_token_s: float | None = Field(default=None, ge=0, le=MOST_MEASURED)
    error: Failure | None = None
    request_hash: str | None = None
    first_stage: tuple[str, ...] | None = None
    finish_reason: str = ""
    executed: Executed | None = None
    reported: dict[str, ReportedScore] | None = None

    @property
    def cut_off(self) -> bool:
        """Whether the model stopped at its limit of tokens."""
        return self.finish_reason.lower() in {"length", "max_tokens", "max_output_tokens"}


def failed_output(kind: str, message: str) -> SystemOutput:
    """Return the output of a sample that failed; `kind` is as in `Failure`."""
    return SystemOutput(error=Failure.model_validate({"kind": kind, "message": message}))
