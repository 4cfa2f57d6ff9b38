"""One output scored from Python with a judge, by a pack of stages, and the judge's model asked."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import ragate
from ragate.config import load_config
from ragate.errors import ConfigError, UsageError
from ragate.models import ScoreState
from ragate.pytest_plugin.live_system import live_chat
from tests.projects import ReplayProject
from tests.servers.openai_server import FakeOpenAI
from tests.unit.judges.judge_factories import honest
from tests.unit.judges.own_replies import judge_with_own

pytestmark = pytest.mark.integration
SAMPLE = {"query": "How long do refunds take?", "expected": ["a.md"], "reference": "30 days"}
OUTPUT = {
    "answer": "Refunds take 30 days. [1]",
    "contexts": [{"doc_id": "a.md", "text": "Refunds take 30 days."}],
}
MADE_UP = {**OUTPUT, "answer": "Purple zebras painted the sky."}
RUBRIC = {"use": "rubric", "provider": "local", "model": "judge-1"}


@pytest.fixture
def providers(server: FakeOpenAI) -> dict[str, dict[str, Any]]:
    """An honest model on loopback."""
    server.reply = lambda body: judge_with_own(body, honest(), lambda text: "idiot" not in text)
    return {"local": {"base_url": server.base_url}}


def test_a_judge_scores_one_output(providers):
    names = ["faithfulness", "recall@5"]

    good = ragate.score(SAMPLE, OUTPUT, names, judge=RUBRIC, providers=providers)
    bad = ragate.score(SAMPLE, MADE_UP, names, judge=RUBRIC, providers=providers)

    assert [*good] == names
    assert [score.value for score in good.values()] == [1.0, 1.0]
    assert [score.value for score in bad.values()] == [0.0, 1.0]


def test_a_judge_that_fails_its_known_answers_scores_nothing(providers, server):
    yes = honest()
    server.reply = lambda body: (
        judge_with_own(body, yes, lambda _text: True)
        .replace('"absent"', '"supported"')
        .replace('"contexts": []', '"contexts": [1]')
    )

    (score,) = ragate.score(
        SAMPLE, MADE_UP, ["faithfulness"], judge=RUBRIC, providers=providers
    ).values()

    assert score.state is ScoreState.UNSCORED


def test_an_embedder_and_a_judge_are_asked_side_by_side(providers):
    names = ["embedded_correctness", "relevancy"]

    scores = ragate.score(
        SAMPLE, OUTPUT, names, judge=RUBRIC, embedder={"use": "hashing"}, providers=providers
    )

    assert all(score.value is not None for score in scores.values())


@pytest.mark.parametrize(
    ("metric", "lacks"), [("faithfulness", "a judge"), ("embedded_correctness", "an embedder")]
)
def test_what_is_not_given_is_named(metric, lacks):
    with pytest.raises(UsageError, match=f"{metric}.*needs {lacks}"):
        ragate.score(SAMPLE, OUTPUT, [metric])


def test_a_pack_of_stages_says_whether_one_output_passes(providers):
    card = ragate.scorecard(SAMPLE, OUTPUT, preset="rag", judge=RUBRIC, providers=providers)

    assert (card.passed, card.overall_score, card.reason) == (True, 1.0, "")
    assert card.stages["retrieval"].passed is True
    assert card.stages["faithfulness"].score.value == 1.0
    assert card.stages["mrr"].passed is None  # it has no pass mark


def test_a_stage_that_fails_is_named(providers):
    card = ragate.scorecard(SAMPLE, MADE_UP, preset="rag", judge=RUBRIC, providers=providers)

    assert card.passed is False
    assert "faithfulness" in card.reason


def test_without_a_preset_it_is_the_scorecard_of_the_project(tmp_path: Path):
    table = '[policy.scorecard.stages.retrieval]\nmetric = "hit_rate@5"\npass_at = 1\n'
    ReplayProject(tmp_path, samples=2, metrics=table)

    card = ragate.scorecard(SAMPLE, OUTPUT, config=tmp_path)

    assert (card.passed, [*card.stages]) == (True, ["retrieval"])


def test_a_project_without_a_scorecard_is_an_error(tmp_path: Path):
    ReplayProject(tmp_path, samples=2)

    with pytest.raises(ConfigError, match=r"no \[policy.scorecard\]"):
        ragate.scorecard(SAMPLE, OUTPUT, config=tmp_path)


def test_in_a_running_loop_it_says_what_to_await(providers):
    async def called() -> None:
        ragate.score(SAMPLE, OUTPUT, ["faithfulness"], judge=RUBRIC, providers=providers)

    with pytest.raises(UsageError) as raised:
        asyncio.run(called())

    assert "asyncio.to_thread(ragate.score)" in raised.value.remedy


JUDGE = """
[policy.providers.local]
base_url = "{url}"
[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
"""


def test_the_judges_model_answers_a_prompt_with_a_text(tmp_path: Path, server: FakeOpenAI):
    server.reply = lambda body: "TRUE" if "equal" in body["messages"][0]["content"] else "FALSE"
    ReplayProject(tmp_path, samples=2, metrics=JUDGE.format(url=server.base_url))

    with live_chat(load_config(tmp_path / "ragate.toml")) as chat:
        assert chat("Are these equal? TRUE or FALSE") == "TRUE"
        assert chat("Is it so?") == "FALSE"

    assert [body["model"] for _, _, body in server.requests] == ["judge-1", "judge-1"]


def test_without_a_judge_there_is_no_model_to_ask(tmp_path: Path):
    ReplayProject(tmp_path, samples=2)

    with (
        pytest.raises(ConfigError, match="names no provider"),
        live_chat(load_config(tmp_path / "ragate.toml")),
    ):
        pass
