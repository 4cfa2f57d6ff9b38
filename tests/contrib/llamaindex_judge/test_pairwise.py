"""An answer beside the baseline's: what is asked, what is not, and whom nobody believes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragate.cache import Cache
from ragate.metrics.judge import pairwise
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import ChatRequest, MetricRequest
from ragate.scoring.judgement_cache import CachedJudgements
from ragate.scoring.judging import Judging
from ragate.scoring.known_judgements import KnownJudgements, opponents_of
from tests.contrib.llamaindex_judge.known_answers import is_known, sound
from tests.contrib.llamaindex_judge.llamaindex_factories import make
from tests.factories import output_factory, record_factory, run_factory, sample_factory
from tests.unit.judges.judge_factories import Chat

METRIC = pairwise(MetricRequest(name="pairwise"))
OLD = record_factory(output=output_factory(answer="Old answer."))


def known(request: ChatRequest) -> bool:
    """Return True where a canary is asked about."""
    return is_known(request.messages[1][1])


def likes(word: str) -> Chat:
    """Return a judge that prefers the answer with a word in it, and A where both have it."""

    def reply(request: ChatRequest) -> str:
        text = request.messages[1][1]
        if known(request):
            return "[[A]]" if sound("pairwise", text) else "[[B]]"
        first, second = text.split("Answer]\n")[1:4:2]
        if word in first:
            return "Both are short. [[A]]"
        return "[[B]]" if word in second else "No difference. [[C]]"

    return Chat(reply)


def preference(chat: Chat, answer: str | None, root: Path, **fields: Any) -> Score:
    """Return the score of an answer beside `OLD`."""

    async def run() -> Score:
        with Cache(root / "cache.sqlite") as cache:
            compared = KnownJudgements(
                await make(chat),
                [METRIC],
                baseline=None,
                cache=CachedJudgements(cache),
                opponents=opponents_of(run_factory([OLD])),
            )
            judging = Judging(compared, concurrency=2, timeout_s=5.0)
            output = output_factory(answer=answer, **fields)
            judging.submit(sample_factory(), output)
            await judging.settle()
            return judging.judgement(sample_factory(), output)["pairwise"]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("liked", "value"), [("New", 1.0), ("Old", 0.0), ("answer", 0.5), ("xyz", 0.5)]
)
def test_both_orders_must_agree_or_it_is_a_tie(tmp_path: Path, liked: str, value: float) -> None:
    chat = likes(liked)

    assert preference(chat, "New answer.", tmp_path).value == value
    assert len([one for one in chat.requests if not known(one)]) == 2


def test_a_pair_that_was_judged_is_not_asked_again(tmp_path: Path) -> None:
    preference(likes("New"), "New answer.", tmp_path)
    chat = likes("New")

    assert preference(chat, "New answer.", tmp_path).value == 1.0
    assert chat.requests == []


@pytest.mark.parametrize(("answer", "value"), [("Old answer.", 0.5), (" ", 0.0), ("", 0.0)])
def test_equal_and_empty_answers_are_settled_without_a_call(
    tmp_path: Path, answer: str, value: float
) -> None:
    chat = likes("New")

    assert preference(chat, answer, tmp_path).value == value
    assert chat.requests == []


def test_a_reply_without_a_mark_is_no_verdict(tmp_path: Path) -> None:
    chat = Chat(lambda _request: "A is better. [[A]] or [[B]]?")

    found = preference(chat, "New answer.", tmp_path)

    assert found.value is None
    assert "[[A]], [[B]] or [[C]]" in found.reason


@pytest.mark.parametrize("says", ["[[A]]", "[[B]]", "[[C]]"])
def test_a_judge_that_likes_a_place_rather_than_an_answer_is_not_believed(
    tmp_path: Path, says: str
) -> None:
    found = preference(Chat(lambda _request: says), "New answer.", tmp_path)

    assert found.value is None
    assert "scored test answers wrongly" in found.reason


def test_the_canaries_are_asked_only_when_a_model_is(tmp_path: Path) -> None:
    chat = Chat(lambda _request: "YES")
    sample = Sample(id="q", query="Why?")

    async def run(output: SystemOutput) -> Judging:
        from ragate.metrics.judge import relevancy

        with Cache(tmp_path / "cache.sqlite") as cache:
            known = KnownJudgements(
                await make(chat),
                [relevancy(MetricRequest(name="relevancy"))],
                baseline=None,
                cache=CachedJudgements(cache),
            )
            judging = Judging(known, concurrency=2, timeout_s=5.0)
            judging.submit(sample, output)
            await judging.settle()
            return judging

    assert not asyncio.run(run(output_factory(answer=""))).queue.canaries
    assert chat.requests == []

    assert asyncio.run(run(output_factory(answer="Because."))).queue.canaries
