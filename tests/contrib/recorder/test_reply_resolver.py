"""What is replayed, what is asked for, and what stays pending."""

from __future__ import annotations

import openai
import pytest

from ragate.clients.budget import Budget
from tests.contrib.recorder.recorders import ask, streamed

pytestmark = pytest.mark.integration


def test_a_request_is_forwarded_once_and_replayed_word_for_word(bench):
    bench.open()

    first, again = ask(bench.client()), ask(bench.client())

    assert first == again == "It is so, the n1 time [1]."
    assert bench.provider.seen == 1


def test_without_a_provider_what_is_not_known_is_pending(bench):
    bench.open()
    known = ask(bench.client(), "known")
    resolver = bench.open(offline=True)
    client = bench.client()

    for _ in range(2):
        with pytest.raises(openai.APIStatusError, match="not recorded; fulfil it") as refused:
            ask(client, "unknown", user="someone")
        assert refused.value.response.headers["x-should-retry"] == "false"

    assert ask(client, "known") == known
    assert bench.provider.seen == 1
    assert resolver.pending == 1
    [pending] = bench.pended
    assert pending.request.content["messages"] == [{"role": "user", "content": "unknown"}]
    assert "user" not in pending.request.content


def test_an_asker_that_wants_several_answers_gets_several(bench):
    bench.open(counts=True)
    first = [ask(bench.client()) for _ in range(3)]
    bench.open(counts=True)

    assert len(set(first)) == 3
    assert [ask(bench.client()) for _ in range(3)] == first
    assert bench.provider.seen == 3


def test_a_cap_of_the_policy_ends_the_calls(bench):
    resolver = bench.open(budget=Budget(max_calls=1, max_cost_usd=1.0))
    ask(bench.client(), "one")

    with pytest.raises(openai.APIStatusError, match="max_calls = 1"):
        ask(bench.client(), "two")

    assert resolver.ledger.outside.stopped is not None
    assert bench.provider.seen == 1


def test_a_model_that_the_policy_does_not_allow_is_not_asked(bench):
    bench.open(models=("gpt-4.1-nano",))

    with pytest.raises(openai.PermissionDeniedError, match="not in"):
        ask(bench.client())

    assert bench.provider.seen == 0


def test_a_kept_reply_that_makes_no_sense_is_an_error_of_ours(bench):
    resolver = bench.open()
    ask(bench.client())
    [key] = resolver.used.draws
    bench.open(baseline={key: ('{"choices": 5}',)})

    with pytest.raises(openai.InternalServerError, match="the recorder failed"):
        streamed(bench.client(max_retries=0))
