"""A proposal's status, asked, answered and judged: the evaluators' steps worked through by hand."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.contrib.llamaindex_judge.judge import ChainReply, run_chain
from tests.contrib.llamaindex_judge.llamaindex_factories import (
    judge_by,
    obedient,
)
from tests.unit.judges.judge_factories import Chat, answered, asked, values

QUESTION = "Who proposed the STIP, and what became of it?"
TALLY = "STIP. Author: Arbitrum Foundation. Tally vote 47832: executed, 1 to 15 November 2023."
SNAPSHOT = "STIP. Snapshot temperature check: closed, 20 to 27 October 2023."
FORUM = "A delegate on the forum: 50 million ARB are too many, and nobody measures the outcome."
ANSWER = (
    "The Arbitrum Foundation authored the STIP. It passed Snapshot and Tally and was executed; "
    "50 million ARB were allocated."
)
SAMPLE = asked(QUESTION, "The Arbitrum Foundation; executed after Snapshot and Tally.")
OUTPUT = answered(ANSWER, TALLY, SNAPSHOT, FORUM)


def test_one_chunk_that_supports_the_answer_is_enough_wherever_it_stands() -> None:
    chat = obedient(lambda _evaluator, prompt: SNAPSHOT in prompt)

    scores = judge_by(chat, SAMPLE, OUTPUT, ["faithfulness_binary"], mode="refine")

    assert values(scores) == {"faithfulness_binary": 1.0}
    assert scores["faithfulness_binary"].reason == "YES (at step 2 of 3)"
    assert len(chat.requests) == 2


async def full_chain(verdicts: list[bool]) -> list[bool]:
    """Return the verdict after each step of a chain that always goes to the end."""
    found: list[bool] = []
    for verdict in verdicts:
        found.append(verdict or (bool(found) and found[-1]))
    return found


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_stopping_at_the_first_yes_gives_what_the_whole_chain_gives(verdicts: list[bool]) -> None:
    asked_for: list[str] = []

    async def ask(text: str, so_far: ChainReply | None) -> ChainReply:
        asked_for.append(text)
        stays = so_far is not None and so_far.value == 1.0
        return ChainReply(float(stays or verdicts[int(text)]))

    texts = [str(place) for place in range(len(verdicts))]
    whole = asyncio.run(full_chain(verdicts))
    found, steps = asyncio.run(run_chain(texts, ask, best=1.0))

    assert all(after >= before for before, after in pairwise(whole))
    assert found.value == float(whole[-1])
    assert asked_for == texts[:steps]
    assert steps == (verdicts.index(True) + 1 if any(verdicts) else len(verdicts))


def test_correctness_is_one_call_without_contexts() -> None:
    chat = Chat(["4.5\nRight on both counts; it adds the amount.\nA little wordy."])

    scores = judge_by(chat, SAMPLE, OUTPUT, ["correctness"], mode="refine")

    (request,) = chat.requests
    assert scores["correctness"].value == 4.5
    assert scores["correctness"].reason == (
        "Right on both counts; it adds the amount. A little wordy."
    )
    assert [role for role, _ in request.messages] == ["system", "user"]
    for part in (QUESTION, ANSWER, SAMPLE.references[0]):
        assert part in request.messages[1][1]
    assert TALLY not in request.messages[1][1]


@pytest.mark.parametrize(("mode", "calls"), [("refine", 31), ("compact", 3)])
def test_fifteen_chunks_cost_31_calls_in_a_chain_and_3_when_joined(mode: str, calls: int) -> None:
    chat = obedient(lambda _evaluator, _prompt: False)
    output = answered(ANSWER, *(f"{FORUM} Post {number}." for number in range(15)))

    judge_by(chat, SAMPLE, output, mode=mode)

    assert len(chat.requests) == calls
