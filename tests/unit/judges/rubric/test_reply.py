"""Only an exact and complete verdict counts; anything else is no score."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.judges.rubric._reply import MAX_CHARS
from ragate.models import Score, ScoreState
from ragate.protocols import Judge
from tests.unit.judges.judge_factories import (
    ALL,
    TWO,
    Chat,
    asked,
    claim,
    judge_all,
    make_judge,
    reply,
    values,
    verdict,
)

GOOD = reply()
MALFORMED = {
    "empty": "",
    "a word": "YES",
    "a sentence with yes": "The answer is not YES",
    "yesterday": "yesterday … NO",
    "html": "<html><body>Sign in</body></html>",
    "truncated": GOOD[:-20],
    "twice": GOOD + GOOD,
    "twice in prose": f"First {GOOD}, then {GOOD}.",
    "a thought alone": f"<think>{GOOD}",
    "a list": f"[{GOOD}]",
    "a number": "5",
    "null": "null",
    "one line of LlamaIndex": "4.5\nThe answer is right.",
    "an extra key": reply(note="fine"),
    "an extra key inside": reply(
        claims=[claim(1, 1, "supported", 1) | {"sure": True}, claim(2, 2, "supported", 2)]
    ),
    "a key missing": reply(relevant=None),
    "a key twice": GOOD.replace('{"claims"', '{"relevant": true, "claims"', 1),
    "nan": GOOD.replace('"correctness": 5', '"correctness": NaN'),
    "infinity": GOOD.replace('"correctness": 5', '"correctness": Infinity'),
    "a huge number": GOOD.replace('"correctness": 5', '"correctness": 1e999'),
    "a grade of 10": reply(correctness=10),
    "a grade of -3": reply(correctness=-3),
    "a grade of 0": reply(correctness=0),
    "a grade between": reply(correctness=4.3),
    "a grade as text": reply(correctness="4.0"),
    "a grade as true": reply(correctness=True),
    "no grade": json.dumps(verdict() | {"correctness": None}),
    "yes as text": reply(relevant="yes"),
    "yes as 1": reply(relevant=1),
    "another verdict": reply(claims=[claim(1, 1, "SUPPORTED", 1), claim(2, 2, "supported", 2)]),
    "a sentence left out": reply(claims=[claim(1, 1, "supported", 1)]),
    "no claims at all": reply(claims=[]),
    "an id left out": reply(claims=[claim(1, 1, "supported", 1), claim(3, 2, "absent")]),
    "an id twice": reply(claims=[claim(1, 1, "supported", 1), claim(1, 2, "absent")]),
    "ids from 0": reply(claims=[claim(0, 1, "supported", 1), claim(1, 2, "absent")]),
    "an id as text": reply(claims=[claim(1, 1, "absent") | {"id": "1"}, claim(2, 2, "absent")]),
    "a sentence that is not there": reply(claims=[claim(n, n, "supported", 1) for n in (1, 2, 3)]),
    "a sentence in both lists": reply(claim_free=[2]),
    "a sentence free twice": reply(claims=[claim(1, 1, "supported", 1)], claim_free=[2, 2]),
    "support from nowhere": reply(claims=[claim(1, 1, "supported"), claim(2, 2, "absent")]),
    "support from context 3": reply(claims=[claim(n, n, "supported", 3) for n in (1, 2)]),
    "a context twice in a claim": reply(
        claims=[claim(1, 1, "supported", 1, 1), claim(2, 2, "supported", 2)]
    ),
    "a context twice in a citation": reply(
        citations=[{"sentence": n, "supporting": [n, n], "supported": True} for n in (1, 2)]
    ),
    "an empty claim": reply(claims=[claim(1, 1, "absent") | {"text": ""}, claim(2, 2, "absent")]),
    "a context left out": reply(contexts=[{"context": 1, "relevant": True}]),
    "a context twice": reply(contexts=[{"context": n, "relevant": True} for n in (1, 1)]),
    "contexts reversed": reply(contexts=[{"context": n, "relevant": True} for n in (2, 1)]),
    "a citation left out": reply(citations=[{"sentence": 1, "supporting": [1], "supported": True}]),
    "a citation that is not one": reply(
        citations=[{"sentence": n, "supporting": [2], "supported": True} for n in (1, 2)]
    ),
    "supported by no citation": reply(
        citations=[{"sentence": n, "supporting": [], "supported": True} for n in (1, 2)]
    ),
    "half a character": GOOD.replace('"difference": ""', '"difference": "\\ud83d"'),
    "very deep": "[" * 5000 + "]" * 5000,
    "very long": "x" * 1_000_000,
}


@pytest.mark.parametrize(
    "text",
    [
        f"Here is the verdict: {GOOD}",
        f"{GOOD} I hope this helps.",
        f"Here it is:\r\n```JSON\r\n{GOOD}\r\n```",
        f"```\n```json\n{GOOD}\n```\n```",
        f"<think>{GOOD}</think>\n{GOOD}",
    ],
)
def test_one_verdict_counts_whatever_stands_around_it(text: str) -> None:
    chat = Chat([text])

    assert judge_all(chat, asked(), TWO) == judge_all(Chat([GOOD]), asked(), TWO)


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_reply_that_is_no_verdict_twice_gives_no_score(text: str) -> None:
    chat = Chat([text, text])

    scores = judge_all(chat, asked(), TWO)

    assert {score.state for score in scores.values()} == {ScoreState.UNSCORED}
    assert all(score.reason.startswith("judge: no valid reply") for score in scores.values())
    assert len(chat.requests) == 2


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_reply_that_is_mended_counts_as_if_it_had_come_first(text: str) -> None:
    mended = judge_all(Chat([text, GOOD]), asked(), TWO)

    assert mended == judge_all(Chat([GOOD]), asked(), TWO)
    assert values(mended)["faithfulness"] == 1.0


def test_the_request_to_mend_shows_the_reply_and_what_is_wrong_with_it() -> None:
    chat = Chat([reply(correctness=10), GOOD])

    judge_all(chat, asked(), TWO)

    first, second = chat.requests
    assert second.messages[:2] == first.messages
    assert second.messages[2] == ("assistant", reply(correctness=10))
    assert "correctness = 10" in second.messages[3][1]
    assert second.parameters == first.parameters


def test_a_cut_off_reply_is_called_that() -> None:
    chat = Chat([GOOD[:50], GOOD], finish_reason="length")

    judge_all(chat, asked(), TWO)

    assert "cut off at the length limit" in chat.requests[1].messages[3][1]


def test_white_space_around_a_verdict_is_no_fault() -> None:
    assert judge_all(Chat([f"\n {GOOD} \n"]), asked(), TWO)["relevancy"].value == 1.0


@pytest.mark.parametrize(("more", "score"), [(0, 1.0), (1, None)])
def test_a_reply_is_read_up_to_the_limit_and_not_beyond(more: int, score: float | None) -> None:
    text = GOOD + " " * (MAX_CHARS - len(GOOD) + more)

    assert judge_all(Chat([text, text]), asked(), TWO)["relevancy"].value == score


@pytest.mark.parametrize("form", ["schema", "json", "text"])
def test_one_fence_is_taken_off_however_json_was_asked_for(form: str) -> None:
    fenced = f"```json\n{GOOD}\n```"

    assert judge_all(Chat([fenced]), asked(), TWO, format=form)["relevancy"].value == 1.0


def test_a_key_of_the_form_that_was_not_asked_for_is_one_too_many() -> None:
    text = json.dumps({"relevant": True, "refusal": False})

    scores = judge_all(Chat([text, text]), asked(), TWO, ["relevancy"])

    assert scores["relevancy"].state is ScoreState.UNSCORED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)
REPLIES = st.one_of(
    st.text(),
    st.builds(json.dumps, JSON),
    st.integers(0, len(GOOD)).map(lambda end: GOOD[:end]),
    st.tuples(st.sampled_from(sorted(verdict())), JSON).map(lambda pair: reply(**dict([pair]))),
)


@pytest.fixture(scope="module")
def judged() -> Callable[[str, str], dict[str, Score]]:
    """Return one judge's scores after two replies; it is made once, since there are many."""
    queue: list[str] = []
    chat = Chat(lambda _request: queue.pop(0))
    judge = asyncio.run(make_judge(chat))

    def scores(first: str, second: str) -> dict[str, Score]:
        queue[:] = [first, second]
        chat.requests.clear()
        return asyncio.run(_asked(judge))

    return scores


async def _asked(judge: Judge) -> dict[str, Score]:
    return await judge(ALL, asked(), TWO)


def ranges_hold(scores: dict[str, Any]) -> bool:
    return all(
        (1 if name == "correctness" else 0) <= score.value <= (5 if name == "correctness" else 1)
        for name, score in scores.items()
        if score.value is not None
    )


@given(REPLIES, REPLIES)
def test_any_reply_gives_scores_in_range_or_none_and_never_an_error(
    judged: Callable[[str, str], dict[str, Score]], one: str, two: str
) -> None:
    scores = judged(one, two)

    assert set(scores) == set(ALL)
    assert ranges_hold(scores)
    states = {score.state for score in scores.values()}
    assert len(states) == 1, "a reply counts whole or not at all"


@given(st.sampled_from(sorted(verdict())), JSON)
def test_a_verdict_with_one_key_changed_counts_only_where_it_is_still_one(
    judged: Callable[[str, str], dict[str, Score]], key: str, value: Any
) -> None:
    text = reply(**{key: value})

    scores = judged(text, text)

    if scores["relevancy"].value is not None:
        kinds = {type(item) for item in (value, verdict()[key])}
        assert kinds <= {int, float} or len(kinds) == 1
