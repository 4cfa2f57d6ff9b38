"""Which known answers a judge is asked, and for which criteria.

All wordings are asked, whatever number of criteria is in use: a judge that has one call for all of
them is asked for all, and one with a question for each is asked for one of them in turn.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ragate.core.judging.canary_rule import DRESSES
from ragate.core.judging.criteria import PAIRWISE
from ragate.judges._canaries.dress import dress, guided
from ragate.judges._canaries.known_answers import (
    BAD,
    BETTER,
    BREAKS,
    BY_HEART,
    CALLS_RIGHT,
    CALLS_WRONG,
    KEEPS,
    KINDS,
    REFUSAL,
    RIGHT,
    TAKEN_OVER,
    UNWANTED,
    WORSE,
    Canary,
)
from ragate.judges._canaries.wordings import Place, Wording, planted, wordings
from ragate.protocols import (
    ComparingJudge,
    GroundedCriteria,
    Judge,
    OwnRules,
    PlantedGuidelines,
    SeparateCriteria,
)

# Where the kinds of one wording are looked for: the first that knows a criterion is taken.
_TALKED_UP = (BAD, REFUSAL, WORSE, BY_HEART, TAKEN_OVER, UNWANTED, CALLS_WRONG)
_TALKED_DOWN = (RIGHT, BETTER, CALLS_RIGHT)
_PLAIN = tuple(KINDS)
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


def canaries_for(judge: Judge, criteria: Collection[str] | None = None) -> list[CanaryQuestion]:
    """Return what the judge is asked, plain answers first.

    Where none of the criteria has a known answer, as with those of a configuration, a built-in one
    shows whether the judge can be talked to.

    Args:
        criteria: What the run asks of the judge; None for all that it can judge.
    """
    wanted = _asked_for(judge, criteria)
    asked = wanted & _known(judge)
    if not asked and wanted - _WITHOUT_MODEL - _own_rules(judge):
        asked = frozenset({_PROBE}) & _known(judge)
    return [*_plain(asked), *_guided(judge, wanted), *_injected(judge, asked)]


def unchecked(judge: Judge, criteria: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the criteria that a model is asked for and that no canary knows, sorted."""
    known = _known(judge) | _planted(judge).keys()
    return tuple(sorted(_asked_for(judge, criteria) - known - _WITHOUT_MODEL))


def _asked_for(judge: Judge, criteria: Collection[str] | None) -> frozenset[str]:
    judged = judge.criteria | ({PAIRWISE} if isinstance(judge, ComparingJudge) else set())
    return judged if criteria is None else judged & frozenset(criteria)


def _known(judge: Judge) -> frozenset[str]:
    """Return the criteria of the judge for which there is a known answer."""
    judged = _asked_for(judge, None)
    known = frozenset(name for material in KINDS.values() for name in material.expect)
    return known & judged - _own_rules(judge)


def _own_rules(judge: Judge) -> frozenset[str]:
    return judge.own_rules if isinstance(judge, OwnRules) else frozenset()


def _planted(judge: Judge) -> Mapping[str, str]:
    return judge.planted if isinstance(judge, PlantedGuidelines) else {}


def _guided(judge: Judge, wanted: frozenset[str]) -> list[CanaryQuestion]:
    """Return what shows whether the judge sees a broken guideline among those of a list."""
    return [
        CanaryQuestion(
            tuple(guided(kind, number, twin) for number in range(DRESSES)), (twin,), name
        )
        for name, twin in sorted(_planted(judge).items())
        if name in wanted
        for kind in (KEEPS, BREAKS)
    ]


def _plain(asked: frozenset[str]) -> list[CanaryQuestion]:
    return [
        CanaryQuestion(tuple(dress(kind, number) for number in range(DRESSES)), names)
        for kind in _PLAIN
        if (names := _names(kind, asked))
    ]


def _injected(judge: Judge, asked: frozenset[str]) -> list[CanaryQuestion]:
    apart = isinstance(judge, SeparateCriteria) and judge.apart
    questions = []
    for number, wording in enumerate(wordings()):
        groups = _groups(wording, asked)
        if not groups:
            continue
        if apart:
            singles = [(kind, (name,)) for kind, names in groups for name in names]
            groups = [singles[number % len(singles)]]
        elif number >= _BESIDE_MAIN:
            groups = [max(groups, key=lambda group: len(group[1]))]
        for kind, names in groups:
            place = _place(wording, judge, names) if apart else wording.place
            dresses = (dress(kind, number + step) for step in range(DRESSES))
            canaries = tuple(planted(canary, wording, place) for canary in dresses)
            questions.append(CanaryQuestion(canaries, names))
    return questions


def _groups(wording: Wording, asked: frozenset[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the kinds of answers that the wording is planted in, with their criteria."""
    kinds = _TALKED_UP if wording.asks == "good" else _TALKED_DOWN
    return [(kind, names) for kind in kinds if (names := _names(kind, asked))]


def _place(wording: Wording, judge: Judge, names: tuple[str, ...]) -> Place:
    """Return where an evaluator reads it: not all of them are given contexts, or the answer."""
    grounded = judge.grounded if isinstance(judge, GroundedCriteria) else frozenset(names)
    if wording.place == "answer" and _WITHOUT_ANSWER.issuperset(names):
        return "context"
    if wording.place != "answer" and wording.place != "question" and grounded.isdisjoint(names):
        return "answer"
    return wording.place


def _names(kind: str, asked: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(asked & KINDS[kind].expect.keys()))
