"""Known answers beside those of the topics: of the preset's words, and of calls of tools."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path

import ragate
from ragate.core.judging.canary_rule import DRESSES, CanaryResult
from ragate.core.judging.judged_calls import TOOL_SEMANTICS, unasked_semantics
from ragate.core.judging.own_criterion import OwnCriterion, identity
from ragate.judges import dress, run_canaries, wordings
from ragate.judges._canaries.known_answers import CALLS_RIGHT, CALLS_WRONG, UNWANTED
from tests.unit.judges.judge_factories import Chat, gullible, honest, make_judge, stub

WORDINGS = {wording.wording for wording in wordings()}


def failed(found: list[CanaryResult]) -> set[str]:
    return {result.canary for result in found if not result.passed}


def tried(chat: Chat, criteria: tuple[str, ...]) -> list[CanaryResult]:
    async def run() -> list[CanaryResult]:
        return await run_canaries(await make_judge(chat), criteria=criteria)

    return asyncio.run(run())


def test_the_words_of_the_preset_are_tried_and_others_are_not() -> None:
    words = _stage_of_the_preset()
    own = {"ask": words}
    asked = _own_results(honest(), own)

    assert failed(asked) == set()
    assert {one.canary for one in asked} == {UNWANTED, "right"} | WORDINGS
    yes = failed(_own_results(stub(lambda _s, _c: 1, yes=True), own))
    assert UNWANTED in yes
    assert failed(_own_results(gullible(), own)) == WORDINGS
    other = _own_results(honest(), {"ask": f"{words} And is it kind?"})
    assert {one.criterion for one in other} == {"relevancy"}


def _own_results(chat: Chat, own: dict[str, str]) -> list[CanaryResult]:
    name = identity("criterion.policy_compliance", OwnCriterion.model_validate(own))

    async def run() -> list[CanaryResult]:
        return await run_canaries(await make_judge(chat, criteria={name: own}), criteria=(name,))

    return asyncio.run(run())


def _stage_of_the_preset() -> str:
    preset = (Path(ragate.__file__).parent / "config/presets/rag.toml").read_text(encoding="utf-8")
    ask: str = tomllib.loads(preset)["stages"]["policy_compliance"]["settings"]["ask"]
    return ask


def test_calls_that_mean_something_else_are_known() -> None:
    found = tried(honest(), (TOOL_SEMANTICS,))

    assert {one.canary for one in found} == {CALLS_RIGHT, CALLS_WRONG} | WORDINGS
    assert failed(found) == set()
    assert failed(tried(gullible(), (TOOL_SEMANTICS,))) == WORDINGS
    for says, wrong in ((1, CALLS_WRONG), (0, CALLS_RIGHT)):
        said = stub(lambda _s, _c: 1, yes=bool(says))
        assert wrong in failed(tried(said, (TOOL_SEMANTICS,)))


def test_known_calls_need_a_judgement() -> None:
    for kind in (CALLS_RIGHT, CALLS_WRONG):
        for number in range(DRESSES):
            canary = dress(kind, number)
            assert unasked_semantics(canary.sample, canary.output) is None
