"""From a reply's text to a judgement: an exact and complete instance of the schema, or nothing."""

from collections.abc import Collection, Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError

from ragate.judges._asking import unfenced
from ragate.judges.rubric._judged_sample import JudgedSample
from ragate.judges.rubric._reference_claims import ReferenceClaim, RightClaim, check_references
from ragate.judges.rubric._schema import (
    GRADES,
    NotAJudgementError,
    NotJsonError,
    Number,
    OtherShapeError,
    Strict,
    distinct,
    exactly,
    refuse_above,
)
from ragate.support.settings import shown
from ragate.support.strict_json import loads

MAX_CHARS = 400_000


class Claim(Strict):
    """One claim of the answer and what the contexts say of it."""

    id: Number
    sentence: Number
    text: str = Field(min_length=1)
    verdict: Literal["supported", "contradicted", "absent"]
    contexts: list[Number]


class ContextJudgement(Strict):
    """Whether one context helps with the question."""

    context: Number
    relevant: bool


class CitationJudgement(Strict):
    """What the contexts that one sentence cites are worth to it."""

    sentence: Number
    supporting: list[Number]
    supported: bool


class RubricReply(Strict):
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
    right: list[RightClaim] = []
    reference_claims: list[ReferenceClaim] = []
    reference_claim_free: list[Number] = []


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
        exactly("contexts", numbers, range(1, len(judged.contexts) + 1))
    if "citations" in keys:
        _check_citations(reply, judged)
    if "right" in keys:
        exactly("right", [item.claim for item in reply.right], [one.id for one in reply.claims])
    if "reference_claims" in keys:
        check_references(reply.reference_claims, reply.reference_claim_free, judged)
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
    exactly("claims", [claim.id for claim in reply.claims], range(1, len(reply.claims) + 1))
    distinct("claim_free", reply.claim_free)
    with_claims = {claim.sentence for claim in reply.claims}
    if overlapping := with_claims & set(reply.claim_free):
        raise NotAJudgementError(f"sentence {min(overlapping)} has a claim and is in claim_free")
    sentences = sorted(with_claims | set(reply.claim_free))
    exactly("sentences", sentences, range(1, len(judged.sentences) + 1))
    for claim in reply.claims:
        distinct(f"claim {claim.id}: contexts", claim.contexts)
        refuse_above(f"claim {claim.id}: context", claim.contexts, len(judged.contexts))
        if claim.verdict == "supported" and not claim.contexts:
            raise NotAJudgementError(f"claim {claim.id} is supported and names no context")


def _check_citations(reply: RubricReply, judged: JudgedSample) -> None:
    exactly("citations", [item.sentence for item in reply.citations], list(judged.cited))
    for item in reply.citations:
        where = f"citations: sentence {item.sentence}"
        distinct(where, item.supporting)
        if odd := set(item.supporting) - set(judged.cited[item.sentence]):
            raise NotAJudgementError(f"{where} does not cite context {min(odd)}")
        if item.supported and not item.supporting:
            raise NotAJudgementError(f"{where} is supported by no context")
