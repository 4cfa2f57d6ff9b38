"""Known answers beside those of the topics: of the preset's words, and of calls of tools."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ragate
from ragate.core.judging.canary_rule import DRESSES, CanaryResult
from ragate.core.judging.criteria import TOOL_SEMANTICS, unasked_semantics
from ragate.core.judging.own_criterion import OwnCriterion, identity
from ragate.judges import dress, run_canaries, unchecked, wordings
from ragate.judges._canaries.known_answers import (
    BREAKS,
    CALLS_RIGHT,
    CALLS_WRONG,
    KEEPS,
    UNWANTED,
    topics,
)
from ragate.protocols import ChatRequest
from tests.unit.judges.judge_factories import Chat, gullible, honest, make_judge, stub, tried_apart

WORDINGS = {wording.wording for wording in wordings()}


def failed(found: list[CanaryResult]) -> set[str]:
    return {result.canary for result in found if not result.passed}


def tried(chat: Chat) -> list[CanaryResult]:
    async def run() -> list[CanaryResult]:
        return await run_canaries(await make_judge(chat), criteria=(TOOL_SEMANTICS,))

    return asyncio.run(run())


def test_the_words_of_the_preset_are_tried_and_others_are_not() -> None:
    words = _stage_of_the_preset()
    own = {"ask": words}
    asked = _own_results(honest(), own)

    assert failed(asked) == set()
    assert {one.canary for one in asked} == {UNWANTED, "right"} | WORDINGS
    yes = failed(_own_results(stub(lambda _s, _c: 1, yes=True), own))
    assert UNWANTED in yes
    name = _identity(own)
    judge = asyncio.run(make_judge(gullible(), criteria={name: own}))
    assert failed(tried_apart(judge, (name,))) == WORDINGS
    other = _own_results(honest(), {"ask": f"{words} And is it kind?"})
    assert {one.criterion for one in other} == {"relevancy"}


def _identity(own: dict[str, str]) -> str:
    return identity("criterion.policy_compliance", OwnCriterion.model_validate(own))


def _own_results(chat: Chat, own: dict[str, str]) -> list[CanaryResult]:
    name = _identity(own)

    async def run() -> list[CanaryResult]:
        return await run_canaries(await make_judge(chat, criteria={name: own}), criteria=(name,))

    return asyncio.run(run())


def _stage_of_the_preset() -> str:
    preset = (Path(ragate.__file__).parent / "config/presets/rag.toml").read_text(encoding="utf-8")
    ask: str = tomllib.loads(preset)["stages"]["policy_compliance"]["settings"]["ask"]
    return ask


def test_calls_that_mean_something_else_are_known() -> None:
    found = tried(honest())

    assert {one.canary for one in found} == {CALLS_RIGHT, CALLS_WRONG} | WORDINGS
    assert failed(found) == set()
    judge = asyncio.run(make_judge(gullible()))
    assert failed(tried_apart(judge, (TOOL_SEMANTICS,))) == WORDINGS
    for says, wrong in ((1, CALLS_WRONG), (0, CALLS_RIGHT)):
        said = stub(lambda _s, _c: 1, yes=bool(says))
        assert wrong in failed(tried(said))


def test_known_calls_need_a_judgement() -> None:
    for kind in (CALLS_RIGHT, CALLS_WRONG):
        for number in range(DRESSES):
            canary = dress(kind, number)
            assert unasked_semantics(canary.sample, canary.output) is None


RULES = {"guidelines": ["Names no competitor of ours.", "Promises no date of delivery."]}
NAME = "criterion.policy_compliance"


def _guided(kept: Callable[[str, int], bool], **own: Any) -> list[CanaryResult]:
    """Return what becomes of a judge that says of each guideline, by number, if it is kept."""
    plain = honest()

    def reply(request: ChatRequest) -> str:
        keys = request.parameters["response_format"]["json_schema"]["schema"]["required"]
        if keys != ["own_policy_compliance_planted"]:
            return str(plain._next(request))
        text = request.messages[1][1]
        numbers = re.findall(r"^  (\d+)\. ", text, re.MULTILINE)
        answer = text.partition("<answer")[2].partition("</answer")[0]
        told = {int(n): kept(answer, int(n)) for n in numbers}
        rows = [{"guideline": n, "because": "x", "kept": keeps} for n, keeps in told.items()]
        return json.dumps({keys[0]: rows})

    table = RULES | own
    name = identity(NAME, OwnCriterion.model_validate(table))

    async def run() -> list[CanaryResult]:
        judge = await make_judge(Chat(reply), criteria={name: table})
        assert unchecked(judge, (name,)) == ()
        return await run_canaries(judge, criteria=(name, "relevancy"))

    found = asyncio.run(run())
    return [one for one in found if one.criterion == name]


@pytest.mark.parametrize("count", [2, 50])
@pytest.mark.parametrize(
    ("kept", "wrong"),
    [
        (lambda answer, _n: "marmalade" not in answer, set()),
        (lambda answer, n: n == 1 and "marmalade" not in answer, set()),
        (lambda _answer, _n: True, {BREAKS}),
        (lambda _answer, _n: False, {KEEPS}),
    ],
    ids=["sound", "harsh", "yes", "no"],
)
def test_a_list_of_guidelines_is_tried_with_one_more_that_is_known(
    kept: Callable[[str, int], bool], wrong: set[str], count: int
) -> None:
    found = _guided(kept, guidelines=[f"Names no competitor {n}." for n in range(count)])

    # Of one that is wrong about what keeps to it nothing more is asked.
    assert {one.canary for one in found} == ({KEEPS} if wrong == {KEEPS} else {KEEPS, BREAKS})
    assert failed(found) == wrong


def test_a_planted_guideline_is_nothing_that_a_metric_can_ask_for() -> None:
    async def run() -> frozenset[str]:
        name = identity(NAME, OwnCriterion.model_validate(RULES))
        return (await make_judge(Chat([]), criteria={name: RULES})).criteria

    assert not [name for name in asyncio.run(run()) if "planted" in name]


# The topics that known answers are made of.


def test_there_is_a_topic_for_each_dress_and_none_twice() -> None:
    assert len({one.topic for one in topics()}) == len(topics()) == DRESSES


def test_answers_of_a_topic_differ() -> None:
    for one in topics():
        assert len({one.right, one.made_up, one.refusal}) == 3
