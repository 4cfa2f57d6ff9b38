"""What a run takes from the baseline, and what it asks for."""

from __future__ import annotations

import asyncio
import time

import pytest

from ragate.answers.run_profile import Selection
from ragate.errors import BudgetError
from ragate.models import Verdict
from tests.contrib.recorder.recorded_projects import (
    LLAMAINDEX,
    checked,
    made,
    outputs,
    record,
    unaffected,
)
from tests.integration.recorded_project import PLAIN
from tests.runs import check

pytestmark = pytest.mark.integration


SEVERAL_WAYS = """
    import openai

    CLIENT = openai.OpenAI()

    async def of_its_own(asked):
        async with openai.AsyncOpenAI() as client:
            reply = await client.chat.completions.create(**asked)
        return reply.choices[0].message.content

    async def streamed(asked):
        parts = CLIENT.chat.completions.create(**asked, stream=True)
        return "".join(part.choices[0].delta.content or "" for part in parts)

    async def blocking(asked):
        return CLIENT.chat.completions.create(**asked).choices[0].message.content

    async def answer(query):
        way = (of_its_own, streamed, blocking)[int(query.split()[-1].rstrip("?")) % 3]
        return await way({"model": "gpt-4o-mini", "messages": [{"role": "user", "content": query}]})
"""


CHAIN = f"""{PLAIN}
    ask = answer

    def answer(query):
        first = ask(query)["answer"]
        return ask(f"Rewrite: {{first}} {{query}}")
"""


def test_after_editing_k_of_60_contexts_exactly_k_requests_go_out(project, server):
    # The model's luck with its words must not ask for a second pass.
    project = made(project, samples=60, policy="")
    record(project, runs=1)
    project.edit(7)
    asked = server.seen

    report = checked(project)

    assert server.seen - asked == 7
    assert report.facts.affected == 7
    assert report.facts.model_calls == 7
    assert report.facts.calls_reused == 53


def test_the_replies_of_a_check_are_there_for_the_next_one(recorded, server):
    recorded.edit(2)
    checked(recorded)
    asked = server.seen

    report = checked(recorded, key="")

    assert server.seen == asked
    assert report.facts.unscored == 0


def test_an_unaffected_run_is_free_however_the_code_asks(project, server):
    unaffected(made(project, code=SEVERAL_WAYS), server)


def test_a_chain_whose_first_answer_varies_is_replayed_pass_by_pass(project, server):
    project = made(project, code=CHAIN)
    record(project)
    asked = server.seen

    again = asyncio.run(check(project.config(), project.operations(key=""), Selection(runs=3)))

    assert asked == 3 * 2 * project.samples
    assert again.facts.calls_reused == asked
    assert server.seen == asked
    assert again.facts.affected == 0


def test_without_a_key_a_changed_sample_is_unscored_and_pending_never_wrong(recorded, server):
    recorded.edit(2)

    report = checked(recorded, key="")

    assert server.seen == 0
    assert report.facts.errors == 2
    reasons = {one["error"]["message"] for one in outputs(recorded) if one.get("error")}
    assert reasons == {"model request is not recorded; fulfil it"}
    assert report.decision.verdict is not Verdict.FAILED
    header, *rows = recorded.pending()
    assert header == {"ragate_pending": 1}
    assert len(rows) == 2
    assert all("or so" in row["body"]["messages"][0]["content"] for row in rows)


def test_pending_requests_end_quickly_whatever_the_client_repeats(project, server):
    pytest.importorskip("llama_index.llms.openai")
    system = 'use = "llamaindex"\ntarget = "{module}:engine"\ndoc_id = "source"'
    project = made(project, code=LLAMAINDEX, system=system, samples=30)
    record(project, runs=1)
    project.edit(30)
    began = time.monotonic()

    checked(project, key="", RAGATE_CONCURRENCY="2")

    assert len(project.pending()) == 31
    # LlamaIndex repeats what may heal, seconds apart: for 31 questions that is minutes.
    assert time.monotonic() - began < 90


def test_a_run_that_is_offline_asks_nobody(recorded, server):
    recorded.edit(1)

    report = checked(recorded, RAGATE_OFFLINE="1")

    assert server.seen == 0
    assert report.facts.errors == 1


def test_a_cap_of_the_policy_ends_the_run(project, server):
    project = made(project, policy="max_calls = 4")

    with pytest.raises(BudgetError, match="max_calls"):
        record(project)

    assert server.seen == 4
