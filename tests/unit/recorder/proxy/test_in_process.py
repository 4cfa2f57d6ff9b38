from __future__ import annotations

import asyncio

import httpx
import pytest

from ragate.recorder.proxy import HEADER
from ragate.recorder.proxy.in_process import CURRENT, named_requests
from tests.unit.systems.using import info

HERE = "http://127.0.0.1:4711/v1"


@pytest.fixture
def seen() -> list[str]:
    return []


def answering(seen: list[str]) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get(HEADER, ""))
        return httpx.Response(200)

    return httpx.MockTransport(answer)


def test_a_request_to_the_recorder_names_the_sample_it_is_made_for(seen):
    with httpx.Client(transport=answering(seen)) as client:
        client.get(f"{HERE}/models")
        with named_requests(HERE):
            client.get(f"{HERE}/models")
            token = CURRENT.set("häufig/1")
            client.get(f"{HERE}/models")
            client.get("http://127.0.0.1:4712/v1/models")
            client.get("https://api.openai.com/v1/models")
            CURRENT.reset(token)
        client.get(f"{HERE}/models")

    assert seen == ["", "", "h%C3%A4ufig/1", "", "", ""]


def test_tasks_that_run_at_once_keep_their_own_sample(seen):
    async def ask(client: httpx.AsyncClient, name: str) -> None:
        CURRENT.set(name)
        await asyncio.sleep(0.01)
        await client.get(f"{HERE}/models")

    async def both() -> None:
        async with httpx.AsyncClient(transport=answering(seen)) as client:
            await asyncio.gather(*(ask(client, name) for name in ("a", "b", "c")))

    with named_requests(HERE):
        asyncio.run(both())

    assert sorted(seen) == ["a", "b", "c"]


def test_a_name_that_the_code_gives_itself_is_kept(seen):
    with named_requests(HERE), httpx.Client(transport=answering(seen)) as client:
        token = CURRENT.set("a")
        client.get(f"{HERE}/models", headers={HEADER: "b"})
        CURRENT.reset(token)

    assert seen == ["b"]


def test_how_its_calls_travel_is_no_part_of_what_a_system_is(tmp_path):
    (tmp_path / "rag.py").write_text("")
    files = {"fingerprint_files": ["rag.py"], "command": ["true"]}

    plain = info("command", files, tmp_path)
    recorded = info("command", {**files, "record": True, "record_header": True}, tmp_path)

    assert plain.fingerprint == recorded.fingerprint != ""
