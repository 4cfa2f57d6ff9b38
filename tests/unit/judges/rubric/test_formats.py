"""How JSON is asked for: the way that the server takes and holds to is found once, cheaply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragate.errors import ProviderError
from ragate.models import Score, ScoreState
from ragate.protocols import ChatReply, ChatRequest
from tests.unit.judges.judge_factories import ALL, TWO, Chat, asked, make_judge, reply

GOOD = reply()
IN_WORDS = "JSON schema of the object"


def refusal() -> ProviderError:
    return ProviderError("h: HTTP 400: Invalid model name", status=400)


def form(request: ChatRequest) -> str:
    return str(request.parameters.get("response_format", {}).get("type", "text"))


def forms(chat: Chat) -> list[str]:
    return [form(request) for request in chat.requests]


class Slow(Chat):
    """Lets others ask before it replies."""

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        await asyncio.sleep(0.001)
        return await super().__call__(request, draw=draw)


def at_once(chat: Chat, count: int) -> list[dict[str, Score] | BaseException]:
    async def run() -> list[Any]:
        judge = await make_judge(chat)
        asking = (judge(ALL, asked(), TWO) for _ in range(count))
        return await asyncio.gather(*asking, return_exceptions=True)

    return asyncio.run(run())


def in_turn(chat: Chat, count: int) -> list[dict[str, Score]]:
    async def run() -> list[dict[str, Score]]:
        judge = await make_judge(chat)
        return [await judge(ALL, asked(), TWO) for _ in range(count)]

    return asyncio.run(run())


def taking(*taken: str) -> Callable[[ChatRequest], str | Exception]:
    return lambda request: GOOD if form(request) in taken else refusal()


def test_a_server_that_refuses_everything_is_out_after_a_handful_of_requests() -> None:
    chat = Slow(taking())

    found = at_once(chat, 16)

    fatal = [one for one in found if isinstance(one, ProviderError)]
    assert all(one.fatal for one in fatal)
    assert len(fatal) == 15  # the first one alone may have been refused for what it asked
    assert fatal[0].message == "h: HTTP 400: Invalid model name"
    assert "model" in fatal[0].remedy
    assert len(chat.requests) == 16 + 2 + 2


def test_what_is_asked_after_that_sends_nothing() -> None:
    chat = Chat(taking())

    with pytest.raises(ProviderError):
        in_turn(chat, 50)
    assert len(chat.requests) == 6


def test_one_question_alone_that_is_refused_in_every_way_takes_no_other_with_it() -> None:
    chat = Chat([refusal(), refusal(), refusal(), GOOD, refusal(), GOOD])

    first, second, third, fourth = in_turn(chat, 4)

    assert first["relevancy"].state is third["relevancy"].state is ScoreState.UNSCORED
    assert second["relevancy"].value == fourth["relevancy"].value == 1.0


def test_of_many_at_once_one_looks_for_the_way_and_the_others_take_it() -> None:
    chat = Slow(taking("text"))

    found = at_once(chat, 16)

    assert all(isinstance(one, dict) and one["relevancy"].value == 1.0 for one in found)
    assert sorted(forms(chat)) == ["json_object"] + ["json_schema"] * 16 + ["text"] * 16


def test_an_error_of_the_server_changes_no_way_and_names_the_next_one() -> None:
    chat = Chat([ProviderError("h: 10 calls failed in a row", fatal=True, status=500)])

    with pytest.raises(ProviderError, match="10 calls failed") as caught:
        in_turn(chat, 1)
    assert caught.value.fatal
    assert 'format = "json"' in caught.value.remedy
    assert forms(chat) == ["json_schema"]


def test_an_error_after_a_verdict_says_nothing_of_the_way() -> None:
    chat = Chat([GOOD, ProviderError("h: down", fatal=True, status=500)])

    with pytest.raises(ProviderError) as caught:
        in_turn(chat, 2)
    assert caught.value.remedy == ""


def words_only(request: ChatRequest) -> str:
    """Reply as a model that sees no schema but in words."""
    return GOOD if IN_WORDS in str(request.messages) else '{"verdict": "fine"}'


def test_a_server_that_ignores_the_schema_is_told_it_in_words_and_from_then_on() -> None:
    chat = Chat(words_only)

    found = in_turn(chat, 5)

    assert all(one["relevancy"].value == 1.0 for one in found)
    assert forms(chat) == ["json_schema"] * 2 + ["json_object"] * 4


def test_a_server_that_ignores_the_schema_and_refuses_any_json_is_asked_in_words() -> None:
    def script(request: ChatRequest) -> str | Exception:
        return refusal() if form(request) == "json_object" else words_only(request)

    chat = Chat(script)

    found = in_turn(chat, 4)

    assert all(one["relevancy"].value == 1.0 for one in found)
    assert forms(chat) == ["json_schema"] * 2 + ["json_object"] + ["text"] * 3


def test_what_is_under_way_when_the_schema_is_left_does_not_bring_it_back() -> None:
    chat = Slow(words_only)

    async def run() -> None:
        judge = await make_judge(chat)
        for _ in range(2):
            await asyncio.gather(*(judge(ALL, asked(), TWO) for _ in range(4)))

    asyncio.run(run())

    assert forms(chat) == ["json_schema"] * 8 + ["json_object"] * 4


def test_after_a_verdict_in_the_schema_a_bad_reply_is_mended_without_it() -> None:
    chat = Chat([GOOD, "YES", GOOD, GOOD])

    in_turn(chat, 3)

    assert IN_WORDS not in str(chat.requests[2].messages)
    assert forms(chat) == ["json_schema"] * 4


def test_a_verdict_with_wrong_numbers_or_cut_off_does_not_give_the_schema_up() -> None:
    wrong = reply(claim_free=[1])
    for chat in (Chat([wrong, GOOD, GOOD]), Chat([GOOD[:50], GOOD, GOOD], finish_reason="length")):
        in_turn(chat, 2)

        assert forms(chat) == ["json_schema"] * 3


def test_what_cannot_be_mended_costs_two_calls_and_keeps_the_way() -> None:
    chat = Chat(lambda _request: "YES")

    found = in_turn(chat, 3)

    assert {one["relevancy"].state for one in found} == {ScoreState.UNSCORED}
    assert forms(chat) == ["json_schema"] * 6


def test_questions_that_are_too_long_stop_nothing_while_others_are_under_way() -> None:
    """A refusal of one question is quicker than a verdict on another."""

    class Busy(Chat):
        async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
            if len(self.requests) >= 4:  # the first four take their time
                raise refusal()
            self.requests.append(request)
            await asyncio.sleep(0.05)
            return ChatReply(text=GOOD)

    found = at_once(Busy([]), 8)

    assert [isinstance(one, BaseException) for one in found] == [False] * 8
    good = [one for one in found if isinstance(one, dict) and one["relevancy"].value is not None]
    assert len(good) == 4


def test_a_schema_takes_no_key_beside_those_that_are_asked_for() -> None:
    chat = Chat(lambda _request: GOOD)
    in_turn(chat, 1)

    objects = list(_objects(chat.requests[0].parameters["response_format"]))

    assert len(objects) > 3
    assert {one["additionalProperties"] for one in objects} == {False}


def _objects(part: Any) -> Iterator[dict[str, Any]]:
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    if isinstance(part, dict) and part.get("type") == "object":
        yield part
    for each in parts:
        yield from _objects(each)
