"""From a reply's text to a judgement: an exact and complete instance of the schema, or nothing.

And from a judgement to a score, criterion by criterion.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import groupby
from typing import Any

from pydantic import ValidationError

from ragate.files.strict_json import loads
from ragate.guards.escape import one_line
from ragate.judges.rubric._judged_sample import JudgedSample
from ragate.judges.rubric._schema import (
    GRADES,
    Claim,
    NotAJudgementError,
    NotJsonError,
    Number,
    OtherShapeError,
    ReferenceClaim,
    RightClaim,
    Strict,
    check_claims,
    distinct,
    exactly,
)
from ragate.models import Score, unscored
from ragate.settings import first_fault, shown

MAX_CHARS = 400_000
Outcome = tuple[float, str]
NO_CLAIM = "the answer claims nothing"
NO_REFERENCE_CLAIM = "the references claim nothing"
_SHOWN = 120


# From claims held against references to scores.


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
    """Return the object that a text is.

    Raises:
        NotAJudgementError: it is none.
    """
    if len(text) > MAX_CHARS:
        raise NotJsonError(f"{len(text)} characters")
    value = loads(text, where="reply", error=NotJsonError, max_depth=8)
    if not isinstance(value, dict):
        raise OtherShapeError(f"{shown(value)}: not an object")
    return value


def refuse_other_keys(value: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise where a key is missing, or one stands there that was not asked for."""
    if odd := sorted(set(keys) ^ value.keys()):
        problem = "is missing" if odd[0] in keys else "was not asked for"
        raise OtherShapeError(f"key {shown(odd[0])} {problem}")


def checked_reply(
    value: dict[str, Any], judged: JudgedSample, keys: Collection[str]
) -> RubricReply:
    """Return the judgement that an object is.

    Args:
        keys: What was asked for: those of `value`.

    Raises:
        NotAJudgementError: it is anything else, or numbers of it are missing, double or unknown.
    """
    try:
        reply = RubricReply.model_validate(value)
    except ValidationError as error:
        raise OtherShapeError(first_fault(error)) from error
    contexts = len(judged.contexts)
    if "claims" in keys:
        sentences = len(judged.sentences)
        check_claims(reply.claims, reply.claim_free, sentences=sentences, contexts=contexts)
        bare = (one for one in reply.claims if one.verdict == "supported" and not one.contexts)
        if (claim := next(bare, None)) is not None:
            raise NotAJudgementError(f"claim {claim.id} is supported and names no context")
    if "contexts" in keys:
        numbers = [item.context for item in reply.contexts]
        exactly("contexts", numbers, range(1, contexts + 1))
    if "citations" in keys:
        _check_citations(reply, judged)
    if "right" in keys:
        exactly("right", [item.claim for item in reply.right], [one.id for one in reply.claims])
    if "reference_claims" in keys:
        check_claims(
            reply.reference_claims,
            reply.reference_claim_free,
            sentences=len(judged.reference_sentences),
            contexts=contexts,
            of="reference",
        )
    if "correctness" in keys and reply.correctness not in GRADES:
        raise OtherShapeError(f"correctness = {reply.correctness}: not one of {list(GRADES)}")
    return reply


def _check_citations(reply: RubricReply, judged: JudgedSample) -> None:
    exactly("citations", [item.sentence for item in reply.citations], list(judged.cited))
    for item in reply.citations:
        where = f"citations: sentence {item.sentence}"
        distinct(where, item.supporting)
        if odd := set(item.supporting) - set(judged.cited[item.sentence]):
            raise NotAJudgementError(f"{where} does not cite context {min(odd)}")
        if item.supported and not item.supporting:
            raise NotAJudgementError(f"{where} is supported by no context")


def _share(
    counts: Callable[[Claim, bool], bool], *, hidden: bool, worst: float, word: str
) -> Callable[[RubricReply, JudgedSample], Outcome]:
    """Return the share of the answer's claims that count.

    Args:
        counts: Of a claim, and of whether a reference states it.
        hidden: Whether sentences count that cite a source and are said to claim nothing.
        worst: Of an answer without a claim.
    """

    def share(reply: RubricReply, judged: JudgedSample) -> Outcome:
        stated = {item.claim for item in reply.right if item.stated}
        concealed = len(judged.citing & set(reply.claim_free))
        total = len(reply.claims) + concealed
        if not total:
            return worst, NO_CLAIM
        counted = [one for one in reply.claims if counts(one, one.id in stated)]
        number = len(counted) + concealed * hidden
        named = f": {one_line(counted[0].text, _SHOWN)}" if counted and worst else ""
        return number / total, f"{number} of {total} claims {word}{named}"

    return share


_precision = _share(lambda _one, stated: stated, hidden=False, worst=0.0, word="right")


def _recall(reply: RubricReply, judged: JudgedSample) -> Outcome:
    return _best(
        (sum(one.in_answer for one in claims), len(claims))
        for claims in _by_reference(reply, judged)
    )


def _f1(reply: RubricReply, judged: JudgedSample) -> Outcome:
    precision, _ = _precision(reply, judged)
    recall, reason = _recall(reply, judged)
    if reason == NO_REFERENCE_CLAIM:
        return 0.0, reason
    return _harmonic_mean(precision, recall), f"precision {precision:.2f}, recall {recall:.2f}"


def _utilisation(reply: RubricReply, judged: JudgedSample) -> Outcome:
    references = list(_by_reference(reply, judged))
    if not references:
        return 0.0, NO_REFERENCE_CLAIM
    found = [[one for one in claims if one.contexts] for claims in references]
    if not any(found):
        return 0.0, "the contexts state no claim of a reference"
    return _best((sum(one.in_answer for one in claims), len(claims)) for claims in found if claims)


def _best(counts: Iterator[tuple[int, int]]) -> Outcome:
    best = max(counts, key=lambda count: (count[0] / count[1], count[1]), default=None)
    if best is None:
        return 0.0, NO_REFERENCE_CLAIM
    good, total = best
    return good / total, f"{good} of {total} claims of a reference in the answer"


def _by_reference(reply: RubricReply, judged: JudgedSample) -> Iterator[list[ReferenceClaim]]:
    """Yield the claims of each reference that claims anything."""

    def reference_of(claim: ReferenceClaim) -> int:
        return judged.reference_sentences[claim.sentence - 1][0]

    for _, claims in groupby(sorted(reply.reference_claims, key=reference_of), reference_of):
        yield list(claims)


def _harmonic_mean(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0


def _unsupported(claim: Claim) -> bool:
    return claim.verdict != "supported"


REFERENCE_FORMULAS: dict[str, Callable[[RubricReply, JudgedSample], Outcome]] = {
    "claim_precision": _precision,
    "claim_recall": _recall,
    "claim_f1": _f1,
    "context_utilisation": _utilisation,
    "hallucination": _share(
        lambda one, stated: _unsupported(one) and not stated,
        hidden=True,
        worst=1.0,
        word="made up",
    ),
    "self_knowledge": _share(
        lambda one, stated: _unsupported(one) and stated,
        hidden=False,
        worst=1.0,
        word="known without contexts",
    ),
    "noise_sensitivity": _share(
        lambda one, stated: not _unsupported(one) and not stated,
        hidden=False,
        worst=1.0,
        word="out of contexts and in no reference",
    ),
}


def score(criterion: str, reply: RubricReply, judged: JudgedSample) -> Score:
    """Return the score of a criterion that was asked for."""
    value, reason = _FORMULAS[criterion](reply, judged)
    return Score(
        metric=criterion, value=value, reason="; ".join(filter(None, [reason, judged.cut]))
    )


def all_unscored(criteria: list[str], reason: str) -> dict[str, Score]:
    """Return one unscored score for each criterion."""
    return {name: unscored(name, reason) for name in criteria}


def _faithfulness(reply: RubricReply, judged: JudgedSample) -> Outcome:
    good = [claim for claim in reply.claims if claim.verdict == "supported"]
    # Who cites a source for a sentence claims something, whatever the judge calls it.
    hidden = len(judged.citing & set(reply.claim_free))
    total = len(reply.claims) + hidden
    if not total:
        return 0.0, NO_CLAIM
    return len(good) / total, _listed(reply.claims, len(good), total)


def _any_claim(reply: RubricReply, judged: JudgedSample) -> Outcome:
    value, reason = _faithfulness(reply, judged)
    return float(value > 0), reason


def _listed(claims: list[Claim], good: int, total: int) -> str:
    text = f"{good} of {total} claims supported"
    bad = next((claim for claim in claims if claim.verdict != "supported"), None)
    return text if bad is None else f"{text}; {bad.verdict}: {one_line(bad.text, 120)}"


def _refusal(reply: RubricReply, judged: JudgedSample) -> Outcome:
    word = "refuses" if reply.refusal else "answers"
    return float(reply.refusal is not judged.answerable), word


def _context_relevance(reply: RubricReply, _case: JudgedSample) -> Outcome:
    good = sum(item.relevant for item in reply.contexts)
    return good / len(reply.contexts), f"{good} of {len(reply.contexts)} contexts relevant"


def _citation_recall(reply: RubricReply, judged: JudgedSample) -> Outcome:
    good = {item.sentence for item in reply.citations if item.supported} & judged.worded
    total = max(1, len(judged.worded))
    return len(good) / total, f"{len(good)} of {total} sentences supported by what they cite"


def _citation_precision(reply: RubricReply, judged: JudgedSample) -> Outcome:
    good = sum(len(item.supporting) for item in reply.citations)
    total = sum(map(len, judged.cited.values())) + judged.lost
    return good / total, f"{good} of {total} citations support their sentence"


_FORMULAS: Mapping[str, Callable[[RubricReply, JudgedSample], Outcome]] = {
    **REFERENCE_FORMULAS,
    "faithfulness": _faithfulness,
    "faithfulness_binary": _any_claim,
    "relevancy": lambda reply, _judged: (float(reply.relevant), ""),
    "correctness": lambda reply, _judged: (reply.correctness, one_line(reply.difference, 200)),
    "correctness_binary": lambda reply, _judged: (
        float(reply.correct),
        one_line(reply.difference, 200),
    ),
    "judged_refusal": _refusal,
    "judged_context_relevance": _context_relevance,
    "citation_recall": _citation_recall,
    "citation_precision": _citation_precision,
}
