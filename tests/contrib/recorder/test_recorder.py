"""Where a recorder is, and what it leaves behind."""

from __future__ import annotations

import contextlib

import openai
import pytest

from tests.contrib.recorder.recorders import KEY, Bench, ask, streamed
from tests.servers.faults import status

pytestmark = pytest.mark.integration


def test_no_file_and_no_message_holds_the_key(bench):
    bench.provider.reply = lambda _body: f"The key is {KEY}."
    bench.open()

    assert KEY not in ask(bench.client(), "whole")
    assert KEY not in streamed(bench.client(), "in one word", max_tokens=5)
    bench.provider.faults = [status(400, message=f"wrong key {KEY}")]
    with pytest.raises(openai.BadRequestError) as caught:
        ask(bench.client(), "wrong")

    assert KEY not in str(caught.value)
    for path in bench.folder.rglob("*"):
        assert KEY.encode() not in path.read_bytes(), path


def test_a_key_that_comes_in_pieces_is_not_kept(bench):
    bench.open(key="time [1].")  # the server sends a word an event

    streamed(bench.client())

    assert ask(bench.client()) == "It is so, the n1 ***"


def test_a_recorder_of_the_same_process_is_where_the_last_one_was(bench):
    with contextlib.ExitStack() as stack:
        first = Bench(bench.provider, bench.folder, stack)
        first.open()
        client = bench.stack.enter_context(
            openai.OpenAI(base_url=first.recorder.base_url, api_key=first.recorder.token)
        )
        answer = ask(client)
    bench.open()

    assert ask(client) == answer
