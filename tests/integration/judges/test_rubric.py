"""The rubric judge through the real client, against a server on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from ragate.cli.group import cli
from ragate.clients.http.retry import Retry
from ragate.clients.openai import OpenAIClient
from ragate.core.judging.canary_rule import CanaryResult
from ragate.errors import ProviderError
from ragate.judges import CanaryQuestion, canaries_for, rubric, run_canaries
from ragate.models import Score, ScoreState
from ragate.protocols import ChatRequest, Judge
from tests.servers.faults import BROKEN_JSON, HTML, status
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.unit.judges.judge_factories import ALL, TWO, Chat, asked, honest, reply

pytestmark = pytest.mark.integration
KEY = "sk-canary-0123456789"
GOOD = reply()


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.reply = lambda _body: GOOD
        yield fake


async def no_wait(_seconds: float) -> None:
    return


def with_judge(server: FakeOpenAI, use: Callable[[Judge], Any], **settings: Any) -> Any:
    async def run() -> Any:
        client = OpenAIClient(
            base_url=server.base_url, key=KEY, timeout_s=5, retry=Retry(tries=3, sleep=no_wait)
        )
        resources: Any = SimpleNamespace(root=Path(), chat=lambda _name: client)
        try:
            table = {"provider": "p", "model": "judge-1", **settings}
            async with rubric.create(table, resources) as judge:
                return await use(judge)
        finally:
            await client.aclose()

    return asyncio.run(run())


def scores(server: FakeOpenAI, **settings: Any) -> dict[str, Score]:
    found: dict[str, Score] = with_judge(server, lambda judge: judge(ALL, asked(), TWO), **settings)
    return found


def test_one_request_with_the_schema_gives_every_score(server: FakeOpenAI) -> None:
    found = scores(server, seed=7)

    assert {score.state for score in found.values()} == {ScoreState.VALUE}
    ((path, _, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert (body["model"], body["temperature"], body["seed"]) == ("judge-1", 0.0, 7)
    assert body["response_format"]["json_schema"]["strict"] is True
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_a_reasoning_model_gets_its_effort_and_no_temperature(server: FakeOpenAI) -> None:
    scores(server, effort="minimal")

    body = server.requests[0][2]
    assert body["reasoning_effort"] == "minimal"
    assert "temperature" not in body


@pytest.mark.parametrize(
    "fault", [status(500), status(429), HTML, BROKEN_JSON], ids=["500", "429", "html", "broken"]
)
def test_a_passing_fault_costs_a_call_and_no_score(server: FakeOpenAI, fault: Any) -> None:
    clean = scores(server)
    server.faults = [fault]

    assert scores(server) == clean
    assert len(server.requests) == 3


def test_a_server_without_schemas_is_asked_for_any_json(server: FakeOpenAI) -> None:
    server.faults = [status(400, message="response_format json_schema is not supported")]

    found = scores(server)

    assert found["relevancy"].value == 1.0
    assert [body["response_format"]["type"] for _, _, body in server.requests] == [
        "json_schema",
        "json_object",
    ]


def test_a_server_that_stays_broken_leaves_the_sample_unscored(server: FakeOpenAI) -> None:
    server.faults = [status(503)] * 3

    found = scores(server)

    assert {score.state for score in found.values()} == {ScoreState.UNSCORED}
    assert "503" in found["relevancy"].reason


@pytest.mark.parametrize("code", [401, 404])
def test_a_wrong_key_or_model_is_one_error(server: FakeOpenAI, code: int) -> None:
    server.faults = [status(code)]

    with pytest.raises(ProviderError) as caught:
        scores(server)

    assert caught.value.fatal
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


def test_words_where_json_was_asked_for_cost_two_calls_and_give_nothing(
    server: FakeOpenAI,
) -> None:
    server.reply = lambda _body: "YES"

    found = scores(server)

    assert {score.reason for score in found.values()} == {"judge: no valid reply: not JSON: `YES`"}
    assert len(server.requests) == 2


def test_canaries_over_the_wire(server: FakeOpenAI) -> None:
    server.reply = honest_answer
    found: list[CanaryResult] = with_judge(server, run_canaries)

    assert [one.canary for one in found if not one.passed] == []
    assert len(server.requests) == len(with_judge(server, _questions))
    assert KEY not in json.dumps([body for _, _, body in server.requests])


async def _questions(judge: Any) -> list[CanaryQuestion]:
    return canaries_for(judge)


def honest_answer(body: dict[str, Any]) -> str:
    messages = tuple((one["role"], one["content"]) for one in body["messages"])
    request = ChatRequest(body["model"], messages, {"response_format": body["response_format"]})
    return asyncio.run(_text(honest(), request))


async def _text(stub: Chat, request: ChatRequest) -> str:
    return (await stub(request)).text


CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]

[policy.providers.local]
base_url = "{base_url}"

[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"

[policy.metrics.faithfulness]

[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


def test_calibrate_asks_the_configured_judge(server: FakeOpenAI, tmp_path: Path) -> None:
    server.reply = honest_answer
    (tmp_path / "ragate.toml").write_text(CONFIG.format(base_url=server.base_url))
    answers = {"Backups are kept 30 days.": True, "Backups are kept 7 years in Rome.": False}
    rows = [
        {"query": "How long are backups kept?", "contexts": ["Backups are kept 30 days in Oslo."]}
        | {"answer": answer, "criterion": "faithfulness", "label": label}
        for answer, label in answers.items()
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))

    paths = ["--config", str(tmp_path / "ragate.toml"), "--labels", str(tmp_path / "labels.jsonl")]
    arguments = ["calibrate", *paths, "--repeats", "2", "--format", "json"]
    result = CliRunner().invoke(cli, arguments, standalone_mode=False)

    assert result.exception is None
    found = json.loads(result.stdout)["faithfulness"]
    assert (found["n"], found["agreement"], found["kappa"], found["flips"]) == (2, 1.0, 1.0, 0.0)
    assert len(server.requests) == 4
