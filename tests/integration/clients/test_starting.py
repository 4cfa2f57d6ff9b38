"""A model server that is still starting: it is waited for, and shown to be."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest

from ragate.answers.sample_time import sample_time
from ragate.clients.http import reach as module
from ragate.clients.http.retry import Retry
from ragate.clients.openai import OpenAIClient
from ragate.errors import ProviderError
from ragate.models.progress import Progress, Show, unshown
from ragate.protocols import ChatReply, ChatRequest
from tests.servers.faults import status
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.servers.ports import free_port

pytestmark = pytest.mark.integration
QUESTION = ChatRequest("m", (("user", "hello"),), {})


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.01)


def client_of(url: str, show: Show = unshown, *, patience_s: float = 60.0) -> OpenAIClient:
    async def no_wait(_seconds: float) -> None:
        await asyncio.sleep(0)

    return OpenAIClient(
        base_url=url, deadline_s=patience_s, retry=Retry(tries=3, sleep=no_wait), show=show
    )


def asked(client: OpenAIClient, number: int = 1) -> list[ChatReply]:
    async def run() -> list[ChatReply]:
        try:
            return await asyncio.gather(*(client(QUESTION) for _ in range(number)))
        finally:
            await client.aclose()

    return asyncio.run(run())


def test_a_model_that_loads_is_waited_for_once_by_all_questions(server: FakeOpenAI) -> None:
    server.loading = 30  # many more than a question has tries
    told: list[Progress] = []

    replies = asked(client_of(server.base_url, told.append), 8)

    assert len(replies) == 8
    assert server.healths == 31
    # Two were let in before it was known to load.
    assert len(server.requests) == 8 + 2
    *under_way, last = told
    stage = f"waiting for {server.base_url[7:-3]}, which loads its model"
    assert {each.stage for each in told} == {stage}
    assert {each.total for each in under_way} == {600}
    assert not any(each.is_over for each in under_way)
    assert last.is_over
    assert last.is_clock


def test_the_wait_is_nobodys_time(server: FakeOpenAI) -> None:
    server.loading = 30

    async def in_time() -> ChatReply:
        client = client_of(server.base_url)
        try:
            async with sample_time(0.2):  # thirty looks take longer
                return await client(QUESTION)
        finally:
            await client.aclose()

    assert asyncio.run(in_time()).text


class Started:
    """Starts a server while it is waited for; notes what is shown."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.port = free_port()
        self.told: list[Progress] = []

    def show(self, progress: Progress) -> None:
        if not self.told:
            self._stack.enter_context(openai_server(self.port))
        self.told.append(progress)

    def client(self) -> OpenAIClient:
        return client_of(f"http://127.0.0.1:{self.port}/v1", self.show)


def test_a_server_that_listens_late_is_waited_for() -> None:
    with ExitStack() as stack:
        late = Started(stack)

        replies = asked(late.client())

    assert replies[0].text
    told = late.told[0]
    assert told.stage == f"waiting for 127.0.0.1:{late.port}, which refuses connections"


def test_it_is_seen_to_be_there_before_anything_is_paid_for() -> None:
    with ExitStack() as stack:
        late = Started(stack)

        asyncio.run(late.client().reach())

    assert late.told[-1].is_over


def test_one_that_does_not_come_is_given_up_and_no_second_question_waits() -> None:
    told: list[Progress] = []
    shown: list[int] = []

    async def ask_twice() -> None:
        url = f"http://127.0.0.1:{free_port()}/v1"
        client = client_of(url, told.append, patience_s=0.05)
        for _ in range(2):
            with pytest.raises(ProviderError, match="cannot be reached"):
                await client(QUESTION)
            shown.append(len(told))
        await client.aclose()

    asyncio.run(ask_twice())

    assert shown[0] > 0
    assert shown[0] == shown[1]


def test_a_service_that_is_overloaded_is_asked_again_as_before(server: FakeOpenAI) -> None:
    server.faults = [status(503), status(503)]
    told: list[Progress] = []

    asked(client_of(server.base_url, told.append))

    assert server.healths == 1
    assert len(server.requests) == 3
    assert not told


def test_one_that_answered_before_is_not_starting(server: FakeOpenAI) -> None:
    told: list[Progress] = []

    async def ask_twice() -> None:
        client = client_of(server.base_url, told.append)
        try:
            await client(QUESTION)
            server.loading = 30
            with pytest.raises(ProviderError, match="HTTP 503"):
                await client(QUESTION)
        finally:
            await client.aclose()

    asyncio.run(ask_twice())

    assert not told
    assert server.healths == 0


def test_a_questions_own_time_begins_once_the_server_is_there(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.05)
    server.loading = 30  # longer than a question may take

    assert asked(client_of(server.base_url, patience_s=1.0))[0].text
