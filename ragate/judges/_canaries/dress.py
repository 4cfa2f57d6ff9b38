"""From a kind of known answer to one that can be asked about."""

from dataclasses import replace

from ragate.core.judging.own_criterion import PLANTED_WORD
from ragate.judges._canaries.known_answers import KEEPS, KINDS, RIGHT, Canary, Material
from ragate.judges._canaries.topics import known_calls, topics
from ragate.models import ExpectedCall, RetrievedChunk, Sample, SystemOutput, ToolCall

_ANY = 0.01  # less than one guideline of the longest list


def dress(kind: str, number: int) -> Canary:
    """Return a known answer about one of the topics, counted round and round."""
    named = topics()
    own, following, third = (named[(number + step) % len(named)] for step in range(3))
    material = KINDS[kind]
    if material.calls is not None:
        return _called(kind, number, material)
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


def guided(kind: str, number: int, criterion: str) -> Canary:
    """Return an answer under a list of guidelines, of which the last one is known.

    Of the others nothing is known, so that only none kept, or none broken, is wrong.
    """
    right = dress(RIGHT, number)
    if kind == KEEPS:
        return replace(right, kind=kind, expect={criterion: (_ANY, 1.0)})
    answer = f"{right.output.answer} It goes well with {PLANTED_WORD}."
    output = right.output.amended(answer=answer)
    return replace(right, kind=kind, output=output, expect={criterion: (0.0, 1.0 - _ANY)})


def _called(kind: str, number: int, material: Material) -> Canary:
    """Return a known call of a tool, beside the right one."""
    assert material.calls is not None
    known = known_calls()[number % len(known_calls())]
    right = ExpectedCall(name=known.tool, arguments=dict(known.right))
    made = ToolCall(name=known.tool, arguments=dict(material.calls(known)))
    answer = material.answer(*topics()[:3])
    return Canary(
        sample=Sample(id=f"{kind}, {known.tool}", query=known.query, expected_calls=(right,)),
        output=SystemOutput(answer=answer, tool_calls=(made,)),
        expect=material.expect,
        kind=kind,
    )
