"""Which parts of a reply are asked for, and their JSON schema; it is the same for every sample."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ragate.judges._asking import InvalidReplyError

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


def keys_for(criteria: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of a reply that holds these criteria, in order."""
    names = frozenset(criteria)
    return tuple(key for key, needed in _NEEDED_BY.items() if needed & names)


def schema_for(keys: Iterable[str], own: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON schema of a reply with exactly these keys.

    Args:
        own: Further properties, behind those of the keys.
    """
    return _object({**{key: _PARTS[key] for key in keys}, **(own or {})})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
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
        _object(
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
    "contexts": _list(_object({"context": _NUMBER, "relevant": _YES_NO})),
    "citations": _list(
        _object({"sentence": _NUMBER, "supporting": _list(_NUMBER), "supported": _YES_NO})
    ),
    "refusal": _YES_NO,
    "relevant": _YES_NO,
    "difference": _TEXT,
    "correctness": {"type": "number", "enum": list(GRADES)},
    "correct": _YES_NO,
    "right": _list(_object({"claim": _NUMBER, "stated": _YES_NO})),
    "reference_claims": _list(
        _object(
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
