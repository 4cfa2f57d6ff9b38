"""Contexts that exceed the window of a prompt."""

from __future__ import annotations

from tests.unit.judges.judge_factories import Chat, answered, asked
from tests.unit.judges.llamaindex_factories import is_refine, judge_by, obedient

BINARY = ["faithfulness_binary"]


def test_blank_chunks_are_no_steps() -> None:
    chat = Chat(["NO"] * 2)

    judge_by(chat, asked(), answered("A", "one", " \n", "two"), BINARY, mode="refine")

    assert len(chat.requests) == 2


def test_contexts_that_exceed_the_window_go_on_in_a_chain() -> None:
    chat = obedient(lambda _evaluator, _prompt: False)
    output = answered("A", *("word " * 1_200 + f"end{number}" for number in range(3)))

    judge_by(chat, asked(), output, BINARY, context_window=3_000)

    assert [is_refine(request) for request in chat.requests] == [False, True]
    text = "".join(request.messages[0][1] for request in chat.requests)
    assert all(f"end{number}" in text for number in range(3))
