"""Which parts of a reply are asked for, and their JSON schema; it is the same for every sample."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ragate.judges._asking import InvalidReplyError
from ragate.judges.rubric._judged_sample import JudgedSample

VERDICTS = ("supported", "contradicted", "absent")
GRADES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)

_OF_ANSWER = frozenset(
    {"claim_precision", "claim_f1", "hallucination", "self_knowledge", "noise_sensitivity"}
)
_OF_REFERENCE = frozenset({"claim_recall", "claim_f1", "context_utilisation"})
_FAITHFULNESS = frozenset({"faithfulness", "faithfulness_binary"})

# Keys of the reply in the order they are written, with the criteria that need them.
_NEEDED_BY: dict[str, frozenset[str]] = {
    "claims": _FAITHFULNESS | _OF_ANSWER,
    "claim_free": _FAITHFULNESS | _OF_ANSWER,
    "right": _OF_ANSWER,
    "reference_claims": _OF_REFERENCE,
    "reference_claim_free": _OF_REFERENCE,
    "contexts": frozenset({"judged_context_relevance"}),
    "citations": frozenset({"citation_recall", "citation_precision"}),
    "refusal": frozenset({"judged_refusal"}),
    "relevant": frozenset({"relevancy"}),
    "difference": frozenset({"correctness", "correctness_binary"}),
    "correctness": frozenset({"correctness"}),
    "correct": frozenset({"correctness_binary"}),
}


# Of these the instructions say nothing: their own stand behind them.
BESIDE_REFERENCES = frozenset({"right", "reference_claims", "reference_claim_free"})
# No part of the judge's fingerprint, so that judgements on other criteria stay what they are.
# Whoever changes these words raises VERSION in _prompt.py; a test holds them.
INTRODUCTION = (
    'The object has these keys as well, behind "claim_free" where that is asked for, and before '
    "all others:"
)
RIGHT = (
    '- "right": one object for each claim of "claims", in order: "claim" is its id, "stated" is'
    " true if a reference answer states it or it follows from one at once, false if a reference"
    " says otherwise or none says anything of it. That a context states a claim does not make "
    "it stated here."
)
CLAIMS = (
    '- "reference_claims": every factual claim of the reference answers, in the order of their '
    "sentences R1 to R{sentences}. A sentence may make several claims; split it where parts of "
    "it could be true apart. Each claim is an object:\n"
    '  - "id": 1, 2, 3 and so on, without a gap.\n'
    '  - "sentence": number of the reference sentence that makes it.\n'
    '  - "text": the claim in your own words, complete in itself.\n'
    '  - "contexts": numbers of the contexts that state it or from which it follows at once; an'
    " empty list if there is none.\n"
    '  - "in_answer": true if the answer states it or it follows from the answer at once.\n'
    '- "reference_claim_free": numbers of the reference sentences that claim nothing about the '
    "world. Each of the {sentences} reference sentences must stand either here or in a claim, "
    "never in both."
)


def keys_for(criteria: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of a reply that holds these criteria, in order."""
    names = frozenset(criteria)
    return tuple(key for key, needed in _NEEDED_BY.items() if needed & names)


def schema_for(keys: Iterable[str], own: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON schema of a reply with exactly these keys.

    Args:
        own: Further properties, behind those of the keys.
    """
    return exact_object({**{key: _PARTS[key] for key in keys}, **(own or {})})


def exact_object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_NUMBER = {"type": "integer"}
_YES_NO = {"type": "boolean"}
_TEXT = {"type": "string"}
_PARTS: dict[str, dict[str, Any]] = {
    "claims": _list(
        exact_object(
            {
                "id": _NUMBER,
                "sentence": _NUMBER,
                "text": _TEXT,
                "verdict": {"type": "string", "enum": list(VERDICTS)},
                "contexts": _list(_NUMBER),
            }
        )
    ),
    "claim_free": _list(_NUMBER),
    "contexts": _list(exact_object({"context": _NUMBER, "relevant": _YES_NO})),
    "citations": _list(
        exact_object({"sentence": _NUMBER, "supporting": _list(_NUMBER), "supported": _YES_NO})
    ),
    "refusal": _YES_NO,
    "relevant": _YES_NO,
    "difference": _TEXT,
    "correctness": {"type": "number", "enum": list(GRADES)},
    "correct": _YES_NO,
    "right": _list(exact_object({"claim": _NUMBER, "stated": _YES_NO})),
    "reference_claims": _list(
        exact_object(
            {
                "id": _NUMBER,
                "sentence": _NUMBER,
                "text": _TEXT,
                "contexts": _list(_NUMBER),
                "in_answer": _YES_NO,
            }
        )
    ),
    "reference_claim_free": _list(_NUMBER),
}


# What a reply is refused for: its form, and numbers that are missing, double or unknown.


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


class Claim(Strict):
    """One claim of the answer and what the contexts say of it."""

    id: Number
    sentence: Number
    text: str = Field(min_length=1)
    verdict: Literal["supported", "contradicted", "absent"]
    contexts: list[Number]


class RightClaim(Strict):
    """Whether a reference states one claim of the answer."""

    claim: Number
    stated: bool


class ReferenceClaim(Strict):
    """One claim of a reference, and where it stands."""

    id: Number
    sentence: Number
    text: str = Field(min_length=1)
    contexts: list[Number]
    in_answer: bool


def reference_instructions(keys: Collection[str], judged: JudgedSample) -> str:
    """Return what stands below the instructions, "" where no claim is held against references."""
    parts = []
    if "right" in keys:
        parts.append(RIGHT)
    if "reference_claims" in keys:
        parts.append(CLAIMS.format(sentences=len(judged.reference_sentences)))
    if not parts:
        return ""
    return "\n".join([INTRODUCTION, "", *parts])


def check_claims(
    claims: Sequence[Claim | ReferenceClaim],
    claim_free: Sequence[int],
    *,
    sentences: int,
    contexts: int,
    of: str = "",
) -> None:
    """Refuse claims that leave out a sentence, or name what is not there.

    Args:
        of: ``reference`` for the claims of references, "" for those of the answer.

    Raises:
        NotAJudgementError: they do.
    """
    key, name = (f"{of}_", f"{of} ") if of else ("", "")
    exactly(f"{key}claims", [one.id for one in claims], range(1, len(claims) + 1))
    distinct(f"{key}claim_free", claim_free)
    with_claims = {one.sentence for one in claims}
    if both := with_claims & set(claim_free):
        raise NotAJudgementError(
            f"{name}sentence {min(both)} has a claim and is in {key}claim_free"
        )
    exactly(f"{name}sentences", sorted(with_claims | set(claim_free)), range(1, sentences + 1))
    for one in claims:
        distinct(f"{name}claim {one.id}: contexts", one.contexts)
        refuse_above(f"{name}claim {one.id}: context", one.contexts, contexts)
