"""A list of guidelines: each is kept or not, in the judge's one call."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import ValidationError

from ragate import plugins
from ragate.core.judging.own_criterion import OwnCriterion, identity
from ragate.models import Score, ScoreState
from tests.unit.judges.judge_factories import TWO, Chat, asked, make_judge

NAME = "criterion.policy_compliance"
RULES = ("Names no competitor of ours.", "Promises no date of delivery.", "Addresses the reader.")
TABLE = {"guidelines": list(RULES)}
OWN = OwnCriterion(guidelines=RULES)
CRITERION = identity(NAME, OWN)
KEY = "own_policy_compliance"


def reply(*kept: bool) -> str:
    rows = [
        {"guideline": place, "because": f"reason {place}", "kept": one}
        for place, one in enumerate(kept, start=1)
    ]
    return json.dumps({KEY: rows})


def judged(text: str, **sample: Any) -> Any:
    chat = Chat([text, text])

    async def run() -> dict[str, Score]:
        judge = await make_judge(chat, criteria={CRITERION: TABLE})
        return await judge([CRITERION], asked(**sample), TWO)

    scores = asyncio.run(run())
    return scores[CRITERION], chat


@pytest.mark.parametrize(
    ("kept", "value", "reason"),
    [
        ((True, True, True), 1.0, ""),
        ((True, False, True), 2 / 3, "1 of 3 guidelines broken; 2: reason 2"),
        ((False, False, False), 0.0, "3 of 3 guidelines broken; 1: reason 1"),
    ],
)
def test_the_share_of_guidelines_kept_is_the_score(
    kept: tuple[bool, ...], value: float, reason: str
) -> None:
    score, chat = judged(reply(*kept))

    assert score.value == pytest.approx(value)
    assert score.reason == reason
    assert len(chat.requests) == 1
    assert all(rule in chat.requests[0].messages[1][1] for rule in RULES)


@pytest.mark.parametrize(
    "text",
    [
        reply(True, True),
        reply(True, True, True, True),
        json.dumps({KEY: []}),
        json.dumps({KEY: {"grade": True, "because": "x"}}),
        reply(True, True, True).replace('"guideline": 2', '"guideline": 3'),
        reply(True, True, True).replace("true", "1"),
        reply(True, True, True).replace("true", '"yes"'),
    ],
)
def test_a_reply_that_leaves_a_guideline_out_counts_for_nothing(text: str) -> None:
    score, _ = judged(text)

    assert score.state is ScoreState.UNSCORED


def test_a_refusal_has_to_keep_to_the_guidelines_too() -> None:
    score, _ = judged(reply(True, True, False), answerable=False)

    assert score.value == pytest.approx(2 / 3)


def test_other_guidelines_are_another_metric_and_other_criteria_stay_what_they_are() -> None:
    prints = {
        plugins.metric(NAME, settings=table).info.fingerprint
        for table in (
            TABLE,
            {"guidelines": RULES[:2]},
            {"guidelines": RULES, "grounded": True},
        )
    }

    assert len(prints) == 3
    asked_before = OwnCriterion(ask="Is the answer polite?")
    assert identity("criterion.tone", asked_before) == "criterion.tone#ce4c3816"
    tone = plugins.metric("criterion.tone", settings={"ask": "Is the answer polite?"})
    assert tone.info.fingerprint == "04703a14ce247158"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "either ask or guidelines"),
        ({"ask": "Is it polite?", "guidelines": RULES}, "either ask or guidelines"),
        ({"guidelines": []}, "either ask or guidelines"),
        ({"guidelines": RULES, "scale": (1, 5)}, "guidelines take no scale"),
        ({"guidelines": (RULES[0], RULES[0])}, "a guideline stands twice"),
        ({"guidelines": ("short",)}, "at least 10 characters"),
        ({"guidelines": (" " * 12,)}, "a guideline, is blank"),
        ({"ask": "short"}, "at least 10 characters"),
        ({"ask": " " * 20}, "is blank"),
    ],
)
def test_what_is_no_list_of_guidelines_is_an_error(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        OwnCriterion(**table)
