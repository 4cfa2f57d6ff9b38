"""From a reply's text to a judgement: an exact and complete instance of the schema, or nothing."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragate.judges._asking import InvalidReplyError, unfenced
from ragate.judges.rubric._judged_sample import JudgedSample
from ragate.judges.rubric._schema import GRADES
from ragate.support.settings import shown
from ragate.support.strict_json import loads

MAX_CHARS = 400_000


class NotAJudgementError(InvalidReplyError):
    """An invalid reply; `kind` says in a few words what is wrong with it."""

    kind = "numbers in it are missing, double or unknown"


class NotJsonError(NotAJudgementError):
    kind = "not JSON"


class OtherShapeError(NotAJudgementError):
    kind = "not an instance of the schema"


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


Number = Annotated[int, Field(ge=1)]


class Claim(_Strict):
    """One claim of the answer and what the contexts say of it."""

    id: Number
    sentence: Number
    text: str = Field(min_length=1)
    verdict: Literal["supported", "contradicted", "absent"]
    contexts: list[Number]


class ContextJudgement(_Strict):
    """Whether one context helps with the question."""

    context: Number
    relevant: bool


class CitationJudgement(_Strict):
    """What the contexts that one sentence cites are worth to it."""

    sentence: Number
    supporting: list[Number]
    supported: bool


class RubricReply(_Strict):
    """A whole reply; a key that was not asked for has its default."""

    claims: list[Claim] = []
    claim_free: list[Number] = []
    contexts: list[ContextJudgement] = []
    citations: list[CitationJudgement] = []
    refusal: bool = False
    relevant: bool = False
    difference: str = ""
    correctness: float = 1.0
    correct: bool = False


def read_object(text: str) -> dict[str, Any]:
    """Return the object that a reply is; one code fence around all of it is taken off.

    Raises:
        NotAJudgementError: it is none.
    """
    if len(text) > MAX_CHARS:
        raise NotJsonError(f"{len(text)} characters")
    value = loads(unfenced(text), where="reply", error=NotJsonError, max_depth=8)
    if not isinstance(value, dict):
        raise OtherShapeError(f"{shown(value)}: not an object")
    return value


def refuse_other_keys(value: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise where a key is missing, or one stands there that was not asked for."""
    if odd := sorted(set(keys) ^ value.keys()):
        problem = "is missing" if odd[0] in keys else "was not asked for"
        raise OtherShapeError(f"key {shown(odd[0])} {problem}")


def read_reply(text: str, judged: JudgedSample, keys: Collection[str]) -> RubricReply:
    """Return the judgement that `text` is; one code fence around all of it is taken off.

    Args:
        keys: What was asked for; more and less are both refused.

    Raises:
        NotAJudgementError: it is anything else, or numbers of it are missing, double or unknown.
    """
    return checked_reply(read_object(text), judged, keys)


def checked_reply(
    value: dict[str, Any], judged: JudgedSample, keys: Collection[str]
) -> RubricReply:
    """Return the judgement that an object is; as `read_reply`."""
    reply = _typed(value, keys)
    if "claims" in keys:
        _check_claims(reply, judged)
    if "contexts" in keys:
        numbers = [item.context for item in reply.contexts]
        _exactly("contexts", numbers, range(1, len(judged.contexts) + 1))
    if "citations" in keys:
        _check_citations(reply, judged)
    if "correctness" in keys and reply.correctness not in GRADES:
        raise OtherShapeError(f"correctness = {reply.correctness}: not one of {list(GRADES)}")
    return reply


def _typed(value: dict[str, Any], keys: Collection[str]) -> RubricReply:
    refuse_other_keys(value, keys)
    try:
        return RubricReply.model_validate(value)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        location = ".".join(str(step) for step in detail["loc"])
        raise OtherShapeError(f"{location} = {shown(detail['input'])}: {detail['msg']}") from error


def _check_claims(reply: RubricReply, judged: JudgedSample) -> None:
    _exactly("claims", [claim.id for claim in reply.claims], range(1, len(reply.claims) + 1))
    _distinct("claim_free", reply.claim_free)
    with_claims = {claim.sentence for claim in reply.claims}
    if overlapping := with_claims & set(reply.claim_free):
        raise NotAJudgementError(f"sentence {min(overlapping)} has a claim and is in claim_free")
    sentences = sorted(with_claims | set(reply.claim_free))
    _exactly("sentences", sentences, range(1, len(judged.sentences) + 1))
    for claim in reply.claims:
        _distinct(f"claim {claim.id}: contexts", claim.contexts)
        _refuse_above(f"claim {claim.id}: context", claim.contexts, len(judged.contexts))
        if claim.verdict == "supported" and not claim.contexts:
            raise NotAJudgementError(f"claim {claim.id} is supported and names no context")


def _check_citations(reply: RubricReply, judged: JudgedSample) -> None:
    _exactly("citations", [item.sentence for item in reply.citations], list(judged.cited))
    for item in reply.citations:
        where = f"citations: sentence {item.sentence}"
        _distinct(where, item.supporting)
        if odd := set(item.supporting) - set(judged.cited[item.sentence]):
            raise NotAJudgementError(f"{where} does not cite context {min(odd)}")
        if item.supported and not item.supporting:
            raise NotAJudgementError(f"{where} is supported by no context")


def _exactly(where: str, numbers: Sequence[int], expected: Sequence[int]) -> None:
    """Every number once and in order, so that nothing is left out and nothing counts twice."""
    if list(numbers) == list(expected):
        return
    missing = sorted(set(expected) - set(numbers))
    if missing:
        raise NotAJudgementError(f"{where}: number {missing[0]} is missing")
    _refuse_above(where, numbers, max(expected, default=0))
    _distinct(where, numbers)
    raise NotAJudgementError(f"{where}: the numbers are not in order")


def _refuse_above(where: str, numbers: Sequence[int], highest: int) -> None:
    for number in numbers:
        if number > highest:
            raise NotAJudgementError(f"{where}: there is no number {number}")


def _distinct(where: str, numbers: Sequence[int]) -> None:
    if len(set(numbers)) != len(numbers):
        raise NotAJudgementError(f"{where}: a number stands twice")
