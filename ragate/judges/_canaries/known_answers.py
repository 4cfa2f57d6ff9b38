"""Answers whose judgement is known, each in five dresses: one kind, told of five topics.

A dress makes a second try a second question. A model of temperature 0 repeats itself on the same
one, so that asking that again would only repeat the accident that was to be told from a habit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragate.core.judging.criteria import PAIRWISE
from ragate.judges._canaries.topics import Topic, topics
from ragate.models import RetrievedChunk, Sample, SystemOutput

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Canary:
    """One known answer in one dress.

    Attributes:
        expect: By criterion, the lowest and highest score of a sound judge.
        other: The answer that this one is compared with, for the criterion pairwise; else None.
        kind: What the answer is like, such as "made up".
        wording: How it asks for a verdict, "" where it does not.
    """

    sample: Sample
    output: SystemOutput
    expect: Mapping[str, Bounds]
    kind: str
    other: SystemOutput | None = None
    wording: str = ""

    @property
    def name(self) -> str:
        """What a report calls it, whatever its dress."""
        return self.wording or self.kind


class Material(NamedTuple):
    """What of the topics an answer is made of: contexts, the answer, and what it is compared with.

    Args of the functions: the topic that is asked about, and the two behind it.
    """

    expect: Mapping[str, Bounds]
    contexts: Callable[[Topic, Topic, Topic], Sequence[str]]
    answer: Callable[[Topic, Topic, Topic], str]
    other: Callable[[Topic], str] | None = None


_GOOD: Bounds = (1.0, 1.0)
_NONE: Bounds = (0.0, 0.0)
_FEW: Bounds = (0.0, 0.34)
_MOST: Bounds = (0.75, 1.0)
_MANY: Bounds = (0.66, 1.0)
RIGHT, MADE_UP, BESIDE, BAD, REFUSAL = "right", "made up", "beside the point", "bad", "refusal"
BY_HEART, TAKEN_OVER = "right without a source", "taken over from beside the point"
BETTER, WORSE = "better than the other", "worse than the other"

# Beside the reference, of claims that are nowhere.
_WRONG_CLAIMS: dict[str, Bounds] = {
    "claim_precision": _FEW,
    "claim_recall": _FEW,
    "claim_f1": _FEW,
    "context_utilisation": _FEW,
    "hallucination": _MANY,
}

KINDS: dict[str, Material] = {
    RIGHT: Material(
        {
            "faithfulness": _MOST,
            "faithfulness_binary": _GOOD,
            "relevancy": _GOOD,
            "correctness": (4.0, 5.0),
            "correctness_binary": _GOOD,
            "citation_recall": _GOOD,
            "citation_precision": _GOOD,
            "judged_context_relevance": _GOOD,
            "judged_refusal": _GOOD,
            "context_relevancy": _MOST,
            "answer_relevancy": _GOOD,
            "guideline": _GOOD,
            "claim_precision": _MOST,
            "claim_recall": _MOST,
            "claim_f1": _MOST,
            "context_utilisation": _MOST,
            "hallucination": _FEW,
            "self_knowledge": _FEW,
            "noise_sensitivity": _FEW,
        },
        contexts=lambda own, _next, _third: own.contexts,
        answer=lambda own, _next, _third: own.right,
    ),
    MADE_UP: Material(
        {
            "faithfulness": _FEW,
            "faithfulness_binary": _NONE,
            "correctness": (1.0, 2.5),
            "correctness_binary": _NONE,
            "citation_recall": _NONE,
            "citation_precision": _NONE,
            **_WRONG_CLAIMS,
        },
        contexts=lambda own, _next, _third: own.contexts,
        answer=lambda own, _next, _third: own.made_up,
    ),
    # True to its contexts, which are about something else.
    BESIDE: Material(
        {
            "relevancy": _NONE,
            "correctness": (1.0, 2.0),
            "correctness_binary": _NONE,
            "judged_context_relevance": _FEW,
            "context_relevancy": _FEW,
            "answer_relevancy": (0.0, 0.5),
            "guideline": _NONE,
        },
        contexts=lambda _own, following, _third: following.contexts,
        answer=lambda _own, following, _third: following.right,
    ),
    # In every way at once, so that one call shows whether anything of it can be talked up.
    BAD: Material(
        {
            "faithfulness": _FEW,
            "faithfulness_binary": _NONE,
            "relevancy": _NONE,
            "correctness": (1.0, 2.0),
            "correctness_binary": _NONE,
            "citation_recall": _NONE,
            "citation_precision": _NONE,
            "judged_context_relevance": _FEW,
            "context_relevancy": _FEW,
            "answer_relevancy": (0.0, 0.5),
            "guideline": _NONE,
            **_WRONG_CLAIMS,
        },
        contexts=lambda _own, following, _third: following.contexts,
        answer=lambda _own, _next, third: third.made_up,
    ),
    BY_HEART: Material(
        {"self_knowledge": _MANY},
        contexts=lambda _own, following, _third: following.contexts,
        answer=lambda own, _next, _third: own.right,
    ),
    TAKEN_OVER: Material(
        {"noise_sensitivity": _MANY},
        contexts=lambda _own, following, _third: following.contexts,
        answer=lambda _own, following, _third: following.right,
    ),
    REFUSAL: Material(
        {"judged_refusal": _NONE},
        contexts=lambda own, _next, _third: own.contexts,
        answer=lambda own, _next, _third: own.refusal,
    ),
    BETTER: Material(
        {PAIRWISE: _GOOD},
        contexts=lambda _own, _next, _third: (),
        answer=lambda own, _next, _third: own.right,
        other=lambda own: own.made_up,
    ),
    WORSE: Material(
        {PAIRWISE: _NONE},
        contexts=lambda _own, _next, _third: (),
        answer=lambda own, _next, _third: own.made_up,
        other=lambda own: own.right,
    ),
}


def dress(kind: str, number: int) -> Canary:
    """Return a known answer about one of the topics, counted round and round."""
    named = topics()
    own, following, third = (named[(number + step) % len(named)] for step in range(3))
    material = KINDS[kind]
    chunks = tuple(
        RetrievedChunk(doc_id=f"page-{place}", text=text)
        for place, text in enumerate(material.contexts(own, following, third), start=1)
    )
    return Canary(
        sample=Sample(id=f"{kind}, {own.topic}", query=own.query, references=(own.reference,)),
        output=SystemOutput(chunks=chunks, answer=material.answer(own, following, third)),
        expect=material.expect,
        kind=kind,
        other=SystemOutput(answer=material.other(own)) if material.other else None,
    )
