""""""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragate.cache import CACHE_NAME, Cache, Draw
from ragate.clients.budget import no_caps
from ragate.clients.memoised import (
    Memo,
    MemoisedChat,
    MemoisedEmbedder,
    MemoisedEmbeddings,
    MemoisedReranker,
    request_key,
)
from ragate.errors import ProviderError
from ragate.protocols import ChatReply, ChatRequest
from tests.unit.clients.memoised.memoised_factories import texts
from tests.unit.systems.pgvector.rerank_factories import Given

QUESTION = ChatRequest("m", (("user", "why?"),), {"temperature": 0, "seed": 1})


KEY = request_key(QUESTION, provider="p")


class Model:
    """Never gives the same answer twice."""

    def __init__(self, *, fails: int = 0, pause_s: float = 0.0) -> None:
        self.numbers = itertools.count()
        self.calls = 0
        self.fails = fails
        self.pause_s = pause_s

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        self.calls += 1
        await asyncio.sleep(self.pause_s)
        if self.calls <= self.fails:
            raise ProviderError("out")
        return ChatReply(f"answer {next(self.numbers)}", 10, 5, 0.5, "stop")


def ask(model: Model, memo: Memo, *draws: int) -> list[ChatReply]:
    async def main() -> list[ChatReply]:
        client = MemoisedChat(model, memo, "p")
        return [await client(QUESTION, draw=draw) for draw in draws]

    return asyncio.run(main())


def test_an_unaffected_request_takes_the_baselines_draws_in_turn() -> None:
    model, budget = Model(), no_caps()
    draws = tuple(Draw(text=text, finish_reason="length") for text in "abc")
    memo = Memo(baseline={KEY: draws}, budget=budget)

    replies = ask(model, memo, 0, 1, 2, 3)

    assert texts(replies) == ["a", "b", "c", "a"]
    assert all(reply.reused and reply.cost_usd is None for reply in replies)  # not known any more
    assert {reply.finish_reason for reply in replies} == {"length"}
    assert model.calls == 0
    assert memo.unaffected(KEY)
    assert budget.tally.reused == 4


def test_an_affected_request_gets_one_fresh_draw_a_pass_and_keeps_it(cache: Cache) -> None:
    model, budget = Model(), no_caps()

    first = ask(model, Memo(cache, budget=budget), 0, 1)
    again = ask(model, Memo(cache, budget=budget), 0, 1, 2)

    assert texts(first) == ["answer 0", "answer 1"]
    assert texts(again) == ["answer 0", "answer 1", "answer 2"]
    assert [reply.reused for reply in again] == [True, True, False]
    assert model.calls == 3
    assert (budget.tally.reused, budget.tally.saved_usd) == (2, 1.0)


@pytest.mark.parametrize(
    "other",
    [
        ChatRequest("n", QUESTION.messages, QUESTION.parameters),
        ChatRequest("m", (("system", "why?"),), QUESTION.parameters),
        ChatRequest("m", (("user", "why? "),), QUESTION.parameters),
        ChatRequest("m", QUESTION.messages, {"temperature": 0, "seed": 2}),
        ChatRequest("m", QUESTION.messages, {"temperature": 0}),
    ],
)
def test_any_difference_in_the_request_is_another_request(other: ChatRequest) -> None:
    assert request_key(other, provider="p") != KEY
    assert request_key(QUESTION, provider="q") != KEY


def test_the_order_of_parameters_is_no_difference() -> None:
    other = ChatRequest("m", QUESTION.messages, {"seed": 1, "temperature": 0})

    assert request_key(other, provider="p") == KEY


def test_a_recording_takes_neither_the_baselines_draws_nor_a_checks(cache: Cache) -> None:
    model = Model()
    ask(model, Memo(cache), 0)

    memo = Memo(cache, baseline={KEY: (Draw(text="old"),)}, session="one")
    recorded = ask(model, memo, 0, 1, 2)

    assert texts(recorded) == ["answer 1", "answer 2", "answer 3"]
    assert not memo.unaffected(KEY)


def test_a_recording_goes_on_under_its_name_and_starts_anew_under_another(cache: Cache) -> None:
    model = Model()
    ask(model, Memo(cache, session="one"), 0, 1)

    assert texts(ask(model, Memo(cache, session="one"), 0, 1, 2)) == [
        "answer 0",
        "answer 1",
        "answer 2",
    ]
    assert texts(ask(model, Memo(cache, session="two"), 0)) == ["answer 3"]


def test_equal_requests_at_once_share_one_call(cache: Cache) -> None:
    model = Model(pause_s=0.01)

    async def main() -> list[ChatReply]:
        client = MemoisedChat(model, Memo(cache), "p")
        return await asyncio.gather(*(client(QUESTION) for _ in range(20)))

    replies = asyncio.run(main())

    assert model.calls == 1
    assert set(texts(replies)) == {"answer 0"}
    assert sum(not reply.reused for reply in replies) <= 20


def test_a_waiter_that_gives_up_does_not_take_the_answer_from_the_others() -> None:
    model = Model(pause_s=0.05)

    async def main() -> ChatReply:
        client = MemoisedChat(model, Memo(), "p")
        first, second = (asyncio.create_task(client(QUESTION)) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        return await second

    assert asyncio.run(main()).text == "answer 0"
    assert model.calls == 1


def test_a_call_that_nobody_waits_for_any_more_is_ended() -> None:
    model = Model(pause_s=30.0)

    async def main() -> int:
        task = asyncio.create_task(MemoisedChat(model, Memo(), "p")(QUESTION))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.sleep(0.01)
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1


def test_a_failure_is_not_remembered(cache: Cache) -> None:
    model = Model(fails=1)

    with pytest.raises(ProviderError):
        ask(model, Memo(cache), 0)

    assert texts(ask(model, Memo(cache), 0)) == ["answer 0"]


def test_an_empty_answer_is_not_remembered(cache: Cache) -> None:
    class Silent(Model):
        async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
            self.calls += 1
            return ChatReply(" \n")

    model = Silent()
    ask(model, Memo(cache), 0)
    ask(model, Memo(cache), 0)

    assert model.calls == 2


class Lengths:
    deterministic = False
    portion = 64

    def __init__(self, fingerprint: str = "lengths") -> None:
        self.fingerprint = fingerprint
        self.asked: list[list[str]] = []

    async def __call__(self, texts: Sequence[str]) -> Any:
        self.asked.append(list(texts))
        return np.array([[len(text) / 3, 1.0] for text in texts], dtype=np.float32)


class Embedder:
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]:
        self.texts += texts
        return [[len(text) / 3.0, 0.1] for text in texts]


def test_a_known_text_is_not_embedded_again_and_has_the_same_vector(tmp_path: Path) -> None:
    model, budget = Lengths(), no_caps()
    with Cache(tmp_path / CACHE_NAME) as cache:
        remembered = MemoisedEmbedder(model, cache, budget)
        first = asyncio.run(remembered(["a", "bb", "a"]))
        second = asyncio.run(remembered(["bb", "ccc"]))

    assert model.asked == [["a", "bb"], ["ccc"]]
    assert first.dtype == np.float32
    assert first[1].tobytes() == second[0].tobytes()
    assert first[0].tobytes() == first[2].tobytes()
    assert budget.snapshot().embeddings_reused == 2
    assert (remembered.fingerprint, remembered.deterministic) == ("lengths", False)


def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    one, other = Lengths("one"), Lengths("other")
    with Cache(tmp_path / CACHE_NAME) as cache:
        asyncio.run(MemoisedEmbedder(one, cache)(["a"]))
        asyncio.run(MemoisedEmbedder(other, cache)(["a"]))

    assert (one.asked, other.asked) == ([["a"]], [["a"]])


def test_a_text_is_embedded_once_by_a_model(cache: Cache) -> None:
    inner, budget = Embedder(), no_caps()
    client = MemoisedEmbeddings(inner, cache, "p", budget)

    first = asyncio.run(client.embed(["a", "bb", "a"], model="e"))
    again = asyncio.run(client.embed(["bb", "ccc", "a"], model="e"))

    assert inner.texts == ["a", "bb", "ccc"]
    assert [first[1], first[0]] == [again[0], again[2]]
    assert budget.tally.embeddings_reused == 3


def test_vectors_of_other_models_and_lengths_are_others(cache: Cache) -> None:
    inner = Embedder()
    for model, dimensions in (("e", None), ("f", None), ("e", 2)):
        client = MemoisedEmbeddings(inner, cache, "p")
        asyncio.run(client.embed(["a"], model=model, dimensions=dimensions))
    asyncio.run(MemoisedEmbeddings(inner, cache, "q").embed(["a"], model="e"))

    assert inner.texts == ["a"] * 4


def test_a_known_question_with_the_same_texts_is_not_asked_again(tmp_path: Path) -> None:
    model = Given(0.25, 0.5)
    with Cache(tmp_path / CACHE_NAME) as cache:
        remembered = MemoisedReranker(model, cache)
        first = asyncio.run(remembered("q", ["a", "b"]))
        again = asyncio.run(remembered("q", ["a", "b"]))
        asyncio.run(remembered("q", ["b", "a"]))

    assert first == again == [0.25, 0.5]
    assert len(model.asked) == 2
