"""A model server that is slow is not out: a longer time limit is what it needs."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragate.clients.http import reach
from ragate.clients.http.limiter import Breaker
from ragate.clients.http.retry import Retry
from ragate.config.read import load_config
from ragate.errors import ProviderError
from ragate.protocols import ChatRequest
from ragate.resources.operations import Operations
from ragate.resources.resources import open_resources
from tests.integration.clients.faulty_servers import ask_many
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration

CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["replay"]
replay_paths = ["outputs.jsonl"]
[policy.providers.here]
base_url = "{url}"
[policy.judge]
use = "rubric"
provider = "here"
model = "judge-1"
timeout_s = {judge_s}
[policy.metrics.faithfulness]
level = "error"
[system]
use = "replay"
paths = ["outputs.jsonl"]
"""


def ask_slowly(server: FakeOpenAI | str, **client: object) -> list[ProviderError]:
    """Ask until ten calls in a row have run out of time, for longer than a breaker waits."""
    url = server if isinstance(server, str) else server.base_url
    found = ask_many(
        FakeOpenAI(base_url=url),
        16,
        timeout_s=0.2,
        deadline_s=5.0,
        retry=Retry(tries=4, base_s=0.02),
        breaker=Breaker(failures=10, seconds=0.1),
        **client,
    )
    return [one for one in found if isinstance(one, ProviderError)]


def test_a_server_that_lists_its_models_is_slow_and_not_out(server: FakeOpenAI):
    server.latency_s = 0.4  # of answers; the list of models comes at once

    found = ask_slowly(server)

    assert len(found) == 16
    assert not any(error.fatal for error in found)
    assert 0 < len(server.looks) < 10


@contextmanager
def silent_server() -> Iterator[str]:
    """Take connections and never say a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        held: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    held.append(listening.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        for one in held:
            one.close()


def test_a_server_that_answers_nothing_at_all_is_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reach, "TIMEOUT_S", 0.2)
    with silent_server() as url:
        found = ask_slowly(url)

    assert any("calls failed in a row" in error.message for error in found)
    assert any(error.fatal for error in found)


@pytest.mark.parametrize(
    ("judge_s", "answered"), [(20.0, ["judge"]), (0.5, [])], ids=["patient", "hurried"]
)
def test_the_time_of_a_judgement_is_the_judges_alone(
    server: FakeOpenAI, tmp_path: Path, judge_s: float, answered: list[str]
):
    server.latency_s = 1.0
    (tmp_path / "ragate.toml").write_text(CONFIG.format(url=server.base_url, judge_s=judge_s))
    config = load_config(tmp_path / "ragate.toml")
    operations = Operations(environment={}, state=tmp_path / ".ragate", timeout_s=0.6)

    async def asked() -> list[str]:
        done = []
        async with open_resources(config, operations) as opened:
            clients = {"judge": opened.judge.chat("here"), "system": opened.system.chat("here")}
            for name, client in clients.items():
                try:
                    await client(ChatRequest("m", (("user", name),)))
                except ProviderError as error:
                    assert "no answer within" in error.message  # noqa: PT017
                else:
                    done.append(name)
        return done

    started = time.monotonic()
    assert asyncio.run(asked()) == answered
    assert time.monotonic() - started < 15
