"""The provider behind the recorder: its key, its faults, its slowness."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from tests.contrib.recorder.recorders import KEY, MODEL, ask, streamed
from tests.servers.faults import BROKEN_JSON, HANG, RESET, TRUNCATED, status

pytestmark = pytest.mark.integration


HELLO: list[Any] = [{"role": "user", "content": "Hello?"}]


def test_the_provider_gets_the_policys_key_and_nothing_of_the_callers(bench):
    bench.open()

    ask(bench.client(default_headers={"x-mine": "secret", "OpenAI-Organization": "mine"}))

    [(path, headers, body)] = bench.provider.requests
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {"model": MODEL, "messages": HELLO}
    sent = {"host", "accept", "accept-encoding", "connection", "content-type", "content-length"}
    assert set(headers) - sent == {"authorization", "user-agent"}
    assert bench.recorder.token not in str(headers)


def test_faults_of_the_provider_are_repeated_here_and_nowhere_else(bench):
    bench.open()
    bench.provider.faults = [status(429), status(500), RESET]

    assert ask(bench.client()) == "It is so, the n1 time [1]."
    assert bench.provider.seen == 4


@pytest.mark.parametrize("fault", [status(500), BROKEN_JSON])
def test_a_provider_that_stays_broken_is_told_once_and_nothing_is_kept(bench, fault):
    bench.open()
    bench.provider.faults = [fault] * 3

    with pytest.raises(openai.APIStatusError) as caught:
        ask(bench.client())

    assert caught.value.status_code == 424
    assert bench.provider.seen == 3  # the client did not begin anew
    assert ask(bench.client()) == "It is so, the n1 time [1]."


def test_a_reply_that_is_cut_in_its_middle_gets_six_tries(bench):
    bench.open(tries=6)
    bench.provider.faults = [TRUNCATED] * 5

    assert ask(bench.client()) == "It is so, the n1 time [1]."
    assert bench.provider.seen == 6


def test_a_slow_provider_is_given_up_on(bench):
    bench.open(timeout_s=0.2)
    bench.provider.faults = [HANG] * 3

    with pytest.raises(openai.APIStatusError, match=r"no answer within 0\.2 s"):
        ask(bench.client())


def test_a_wrong_request_is_told_with_the_providers_own_status(bench):
    bench.open()
    bench.provider.faults = [status(400, message="max_tokens is too large")]

    with pytest.raises(openai.BadRequestError, match="max_tokens is too large"):
        ask(bench.client())

    assert bench.provider.seen == 1


def test_a_stream_that_is_cut_is_an_error_and_nothing_is_kept(bench):
    bench.open()
    bench.provider.cut_streams = True

    with pytest.raises(openai.APIError, match="cut"):
        streamed(bench.client())
    bench.provider.cut_streams = False

    assert streamed(bench.client()) == "It is so, the n2 time [1]."
