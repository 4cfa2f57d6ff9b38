"""Models that refuse parameters are asked as they want it, found out once, and said."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.clients.openai import OpenAIClient
from ragate.contrib.llamaindex_judge.settings import Settings as EvaluatorSettings
from ragate.errors import ProviderError
from ragate.judges.rubric._settings import Settings as RubricSettings
from ragate.protocols import ChatRequest
from ragate.systems.mcp.settings import Sampling
from ragate.systems.pgvector.answer import request_for
from ragate.systems.pgvector.settings import AnswerSettings
from tests.projects import ReplayProject, right
from tests.servers.evaluator import evaluation
from tests.servers.faults import status
from tests.servers.model import answers_and_judges
from tests.servers.model_rules import refuses
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[3]
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md"])
JUDGE = """
[policy.providers.local]
base_url = "{url}"

[policy.judge]
use = "{use}"
provider = "local"
model = "gpt-5-mini"
{keys}

[policy.metrics.{metric}]
level = "error"
"""
METRICS = {"rubric": "faithfulness", "llamaindex": "relevancy"}


@pytest.fixture
def strict() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.rules = refuses
        yield fake


HONEST = answers_and_judges()


def judges(body: dict[str, Any]) -> str:
    asked = evaluation(body)
    return HONEST(body) if asked is None else asked.verdict()


def other_chunk(number: int, _run: int) -> dict[str, Any]:
    """What only a judge can see."""
    plain = right(number, 0)
    return {**plain, "chunks": [plain["chunks"][0], {"doc_id": "other.md", "text": "It is new."}]}


def ask(url: str, model: str, said: list[str], **parameters: Any) -> None:
    async def once() -> None:
        client = OpenAIClient(base_url=url, provider="local", say=said.append)
        try:
            for _ in range(2):
                await client(ChatRequest(model, (("user", "x"),), parameters))
        finally:
            await client.aclose()

    asyncio.run(once())


@pytest.mark.parametrize("model", ["gpt-5", "gpt-5-mini-2025-08-07", "o1", "o3-mini", "o4-mini"])
def test_what_a_model_refuses_is_changed_once_and_the_bound_on_spending_stays(
    strict: FakeOpenAI, model: str
) -> None:
    said: list[str] = []

    ask(strict.base_url, model, said, temperature=0.0, top_p=0.5, max_tokens=50, stop="x")

    first, second = (
        body
        for _, _, body in strict.requests
        if "max_tokens" not in body and "temperature" not in body and "top_p" not in body
    )
    assert first == second
    assert (first["max_completion_tokens"], first["stop"]) == (50, "x")
    assert strict.refusals == 3
    assert said == [
        f"{model} at local does not take max_tokens: max_tokens is sent as max_completion_tokens",
        f"{model} at local does not take temperature: temperature is left out",
        f"{model} at local does not take top_p: top_p is left out",
    ]


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        ("Unrecognized request argument supplied: max_completion_tokens", "max_tokens"),
        ("max_completion_tokens: Extra inputs are not permitted", "max_tokens"),
    ],
)
def test_a_server_that_knows_the_older_name_only_gets_that(message: str, sent: str) -> None:
    def rules(body: dict[str, Any]) -> Any:
        return status(422, message=message) if "max_completion_tokens" in body else None

    with openai_server() as fake:
        fake.rules = rules
        ask(fake.base_url, "m", [], max_completion_tokens=7)

        assert [body.get(sent) for _, _, body in fake.requests] == [None, 7, 7]


@pytest.mark.parametrize(
    ("message", "parameters"),
    [
        ("'reasoning_effort' does not support 'low'", {"reasoning_effort": "low"}),
        ("temperature must be between 0 and 1", {"temperature": 2.0}),
        ("max_tokens is too large: this model supports at most 10", {"max_tokens": 99}),
    ],
)
def test_a_refusal_of_a_value_or_of_a_bound_stands(
    message: str, parameters: dict[str, Any]
) -> None:
    with openai_server() as fake:
        fake.rules = lambda body: (
            status(400, message=message) if parameters.items() <= body.items() else None
        )
        with pytest.raises(ProviderError, match="HTTP 400"):
            ask(fake.base_url, "m", [], **parameters)

        assert len(fake.requests) == 1


def test_a_bound_that_has_no_name_the_server_takes_is_never_dropped() -> None:
    with openai_server() as fake:
        fake.rules = lambda _body: status(
            400, message="unsupported: max_tokens, max_completion_tokens"
        )
        with pytest.raises(ProviderError, match="HTTP 400"):
            ask(fake.base_url, "m", [], max_tokens=5)

        assert all(
            {"max_tokens", "max_completion_tokens"} & body.keys() for _, _, body in fake.requests
        )
        assert len(fake.requests) == 2


@pytest.mark.parametrize("use", sorted(METRICS))
def test_a_judge_that_reasons_needs_no_key_and_is_the_same_judge_afterwards(
    tmp_path: Path,
    strict: FakeOpenAI,
    use: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    strict.reply = judges
    monkeypatch.chdir(tmp_path)
    keys = "max_tokens = 900"
    metrics = JUDGE.format(url=strict.base_url, use=use, metric=METRICS[use], keys=keys)
    project = ReplayProject(tmp_path, samples=5, metrics=metrics)

    assert run(["check"]) == 3  # no baseline
    assert "gpt-5-mini at local does not take temperature" in capsys.readouterr().err
    assert run(["baseline", "update", "--runs", "1"]) == 0
    (tmp_path / ".ragate" / "cache.sqlite").unlink()
    strict.requests.clear()
    assert run(["check"]) == 0
    assert strict.requests == []

    project.record(other_chunk)
    before = strict.refusals
    assert run(["check"]) == 0
    assert strict.refusals == before  # the baseline's judge says how it is asked
    assert all(body["max_completion_tokens"] == 900 for _, _, body in strict.requests)


def test_a_judge_whose_server_takes_other_parameters_than_before_is_another_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with openai_server() as fake:
        fake.reply = judges
        metrics = JUDGE.format(url=fake.base_url, use="rubric", metric="faithfulness", keys="")
        project = ReplayProject(tmp_path, samples=5, metrics=metrics, policy='store = "full"')
        assert run(["baseline", "update", "--runs", "1"]) == 0
        fake.rules = refuses
        project.record(other_chunk)

        assert run(["check"]) == 3
        assert "ragate baseline rejudge" in capsys.readouterr().out
        assert run(["baseline", "rejudge"]) == 0
        run(["check"])
        assert "baseline rejudge" not in capsys.readouterr().out


def recipes() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield page, model and the parameters of each table of the manual that names a chat model."""
    for page in PAGES:
        for block in re.findall(r"(?ms)^```toml\n(.*?)^```", page.read_text()):
            yield from _of(page.name, tomllib.loads(block))
    template = (ROOT / "ragate/cli/init/ragate.toml.j2").read_text()
    for model in re.findall(r'model = "([^"]+)"', template):
        yield "init", model, RubricSettings(provider="p", model=model).sent()


def _of(page: str, config: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    system = config.get("system", {})
    judge = config.get("policy", {}).get("judge", {})
    if "model" in judge:
        kind: Any = {"rubric": RubricSettings, "llamaindex": EvaluatorSettings}[judge["use"]]
        keys = {name: value for name, value in judge.items() if name in kind.model_fields}
        yield page, judge["model"], kind(**keys).sent()
    answer = config.get("answer", system.get("answer", {}))
    if "model" in answer:
        yield page, answer["model"], dict(request_for("x", AnswerSettings(**answer)).parameters)
    sampling = system.get("sampling", {})
    if "model" in sampling:
        asked = Sampling(**sampling)
        sent = {"max_tokens": asked.max_tokens, "temperature": asked.temperature}
        yield page, sampling["model"], sent


RECIPES = list(recipes())


def test_the_manual_has_recipes_with_models() -> None:
    assert len(RECIPES) >= 8


@pytest.mark.parametrize(("page", "model", "parameters"), RECIPES)
def test_a_recipe_of_the_manual_runs_under_the_rules_of_its_model(
    strict: FakeOpenAI, page: str, model: str, parameters: dict[str, Any]
) -> None:
    ask(strict.base_url, model, [], **parameters)

    assert strict.refusals <= len(parameters), page
