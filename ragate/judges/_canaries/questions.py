"""Which known answers a judge is asked, and for which criteria.

All wordings are asked, whatever number of criteria is in use: a judge that has one call for all of
them is asked for all, and one with a question for each is asked for one of them in turn.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from ragate.core.judging.applicability import PAIRWISE
from ragate.core.judging.canary_rule import DRESSES
from ragate.core.judging.own_criterion import PLANTED_WORD
from ragate.judges._canaries.known_answers import (
    BAD,
    BETTER,
    BREAKS,
    BY_HEART,
    CALLS_RIGHT,
    CALLS_WRONG,
    HARD,
    KEEPS,
    KINDS,
    REFUSAL,
    RIGHT,
    TAKEN_OVER,
    UNWANTED,
    WORSE,
    Canary,
    Material,
    Place,
    Wording,
    known_calls,
    planted,
    topics,
    wordings,
)
from ragate.models import ExpectedCall, RetrievedChunk, Sample, SystemOutput, ToolCall
from ragate.protocols import Judge, JudgeAbilities, judge_abilities

_ANY = 0.01  # less than one guideline of the longest list
# Where the kinds of one wording are looked for: the first that knows a criterion is taken.
_TALKED_UP = (BAD, REFUSAL, WORSE, BY_HEART, TAKEN_OVER, UNWANTED, CALLS_WRONG)
_TALKED_DOWN = (RIGHT, BETTER, CALLS_RIGHT)
_BESIDE_MAIN = 4  # wordings that the smaller groups of a judge with one call are asked as well
_PROBE = "relevancy"
_WITHOUT_MODEL = frozenset({"semantic_similarity"})
_WITHOUT_ANSWER = frozenset({"context_relevancy"})


class CanaryQuestion(NamedTuple):
    """One known answer and the criteria that it is asked for; another dress for every try.

    Attributes:
        stands_for: The criterion that it tries, where another name is asked for.
    """

    dresses: tuple[Canary, ...]
    names: tuple[str, ...]
    stands_for: str = ""

    @property
    def canary(self) -> Canary:
        """The dress of the first try."""
        return self.dresses[0]

    @property
    def is_plain(self) -> bool:
        """Whether a judge that gets it wrong is not believed under its criteria."""
        return not self.canary.wording and self.canary.name not in HARD


def canaries_for(judge: Judge, criteria: Collection[str] | None = None) -> list[CanaryQuestion]:
    """Return what the judge is asked.

    Where none of the criteria has a known answer, as with those of a configuration, a built-in one
    shows whether the judge can be talked to.

    Args:
        criteria: What the run asks of the judge; None for all that it can judge.
    """
    wanted = _asked_for(judge, criteria)
    asked = wanted & _known(judge)
    if not asked and wanted - _WITHOUT_MODEL - judge_abilities(judge).own_rules:
        asked = frozenset({_PROBE}) & _known(judge)
    return [*_plain(asked), *_guided(judge, wanted), *_injected(judge, asked)]


def unchecked(judge: Judge, criteria: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the criteria that a model is asked for and that no canary knows, sorted."""
    known = _known(judge) | judge_abilities(judge).planted.keys()
    return tuple(sorted(_asked_for(judge, criteria) - known - _WITHOUT_MODEL))


def _asked_for(judge: Judge, criteria: Collection[str] | None) -> frozenset[str]:
    judged = judge.criteria | ({PAIRWISE} if judge_abilities(judge).compare else set())
    return judged if criteria is None else judged & frozenset(criteria)


def _known(judge: Judge) -> frozenset[str]:
    """Return the criteria of the judge for which there is a known answer."""
    judged = _asked_for(judge, None)
    known = frozenset(name for material in KINDS.values() for name in material.expect)
    return known & judged - judge_abilities(judge).own_rules


def _guided(judge: Judge, wanted: frozenset[str]) -> list[CanaryQuestion]:
    """Return what shows whether the judge sees a broken guideline among those of a list."""
    return [
        CanaryQuestion(
            tuple(guided(kind, number, twin) for number in range(DRESSES)), (twin,), name
        )
        for name, twin in sorted(judge_abilities(judge).planted.items())
        if name in wanted
        for kind in (KEEPS, BREAKS)
    ]


def _plain(asked: frozenset[str]) -> list[CanaryQuestion]:
    return [
        CanaryQuestion(tuple(dress(kind, number) for number in range(DRESSES)), names)
        for kind in KINDS
        if (names := _names(kind, asked))
    ]


def _injected(judge: Judge, asked: frozenset[str]) -> list[CanaryQuestion]:
    abilities = judge_abilities(judge)
    questions = []
    for number, wording in enumerate(wordings()):
        groups = _groups(wording, asked)
        if not groups:
            continue
        if abilities.apart:
            singles = [(kind, (name,)) for kind, names in groups for name in names]
            groups = [singles[number % len(singles)]]
        elif number >= _BESIDE_MAIN:
            groups = [max(groups, key=lambda group: len(group[1]))]
        for kind, names in groups:
            place = _place(wording, abilities, names) if abilities.apart else wording.place
            dresses = (dress(kind, number + step) for step in range(DRESSES))
            canaries = tuple(planted(canary, wording, place) for canary in dresses)
            questions.append(CanaryQuestion(canaries, names))
    return questions


def _groups(wording: Wording, asked: frozenset[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the kinds of answers that the wording is planted in, with their criteria."""
    kinds = _TALKED_UP if wording.asks == "good" else _TALKED_DOWN
    return [(kind, names) for kind in kinds if (names := _names(kind, asked))]


def _place(wording: Wording, judge: JudgeAbilities, names: tuple[str, ...]) -> Place:
    """Return where an evaluator reads it: not all of them are given contexts, or the answer."""
    grounded = frozenset(names) if judge.grounded is None else judge.grounded
    if wording.place == "answer" and _WITHOUT_ANSWER.issuperset(names):
        return "context"
    if wording.place != "answer" and wording.place != "question" and grounded.isdisjoint(names):
        return "answer"
    return wording.place


def _names(kind: str, asked: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(asked & KINDS[kind].expect.keys()))


# Dressing one: from a kind of known answer to one that can be asked about.


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
