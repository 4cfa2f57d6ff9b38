"""What a scorecard costs: calls of the judge, counted as real HTTP requests on loopback."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.embedders.hashing import HashingEmbedder
from tests.projects import ReplayProject, right
from tests.servers.evaluator import evaluation
from tests.servers.model import is_judgement
from tests.servers.openai_server import FakeOpenAI
from tests.unit.judges.judge_factories import honest
from tests.unit.judges.own_replies import judge_with_own

pytestmark = pytest.mark.integration
SAMPLES = 12
JUDGE = """
[policy.providers.local]
base_url = "{url}"
[policy.judge]
use = "{use}"
provider = "local"
model = "judge-1"
"""
EIGHT = """
[policy.scorecard]
preset = "rag"
{more}
"""
TWO = """
[policy.scorecard]
{more}
[policy.scorecard.stages.faithfulness_binary]
pass_at = 1
required = true
[policy.scorecard.stages.relevancy]
pass_at = 1
"""
RETRIEVAL = "[policy.scorecard.stages.retrieval]\nrequired = true\n"
Made = Callable[..., ReplayProject]


def reply(body: dict[str, Any]) -> str:
    found = evaluation(body)
    if found is not None:
        return found.verdict()
    return judge_with_own(body, honest(), lambda text: "idiot" not in text)


@pytest.fixture
def made(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    server.reply = reply

    def project(card: str, answer: Any = right, *, use: str = "rubric") -> ReplayProject:
        judge = JUDGE.format(url=server.base_url, use=use)
        found = ReplayProject(tmp_path, samples=SAMPLES, metrics=card + judge)
        found.record(answer)
        server.requests.clear()
        return found

    return project


def missed(number: int, _run: int) -> dict[str, Any]:
    """Every third question does not get its document; the answer is right all the same."""
    found = right(number, 0)
    return found if number % 3 else {**found, "chunks": found["chunks"][1:]}


def ours(server: FakeOpenAI) -> list[dict[str, Any]]:
    """Return the judge's requests about our questions, without those of canaries."""
    bodies = [body for _, _, body in server.requests]
    asked = [body for body in bodies if is_judgement(body) or evaluation(body) is not None]
    return [body for body in asked if re.search(r"value of \d+", str(body["messages"]))]


def row(project: ReplayProject, metric: str) -> float:
    rows = {each["metric"]: each for each in project.report()["decision"]["metrics"]}
    return float(rows[metric]["candidate"])


def test_a_scorecard_of_eight_stages_costs_one_call_a_sample(made, server):
    made(EIGHT.format(more=""))

    run(["check"])

    assert len(ours(server)) == SAMPLES


def test_a_failed_required_stage_saves_the_calls_of_the_later_ones(made, server):
    made(EIGHT.format(more=RETRIEVAL), missed)

    run(["check"])

    assert len(ours(server)) == SAMPLES * 2 // 3


def test_a_stage_with_a_table_of_its_own_is_asked_about_all_the_same(made, server):
    project = made(EIGHT.format(more=RETRIEVAL) + "[policy.metrics.relevancy]\n", missed)

    run(["check"])

    assert len(ours(server)) == SAMPLES
    assert row(project, "relevancy") == 1.0
    assert row(project, "overall_score") < row(project, "relevancy")


def test_in_parallel_every_sample_is_asked_about_and_the_figures_are_the_same(made, server):
    project = made(EIGHT.format(more=RETRIEVAL), missed)
    run(["check"])
    in_turn = [row(project, name) for name in ("pass_rate", "overall_score", "faithfulness")]
    project = made(EIGHT.format(more="parallel = true\n" + RETRIEVAL), missed)
    (project.root / ".ragate" / "cache.sqlite").unlink()

    run(["check"])

    assert len(ours(server)) == SAMPLES
    assert [row(project, n) for n in ("pass_rate", "overall_score", "faithfulness")] == in_turn
    assert in_turn[2] < 1.0


def test_a_judge_that_is_asked_one_by_one_is_not_asked_after_a_failed_stage(made, server):
    def made_up(number: int, _run: int) -> dict[str, Any]:
        found = right(number, 0)
        return (
            found
            if number % 3
            else {**found, "answer": f"Zebra {number} flies over purple mountains."}
        )

    made(TWO.format(more="parallel = true"), made_up, use="llamaindex")
    run(["check"])
    in_parallel = len(ours(server))
    project = made(TWO.format(more=""), made_up, use="llamaindex")
    (project.root / ".ragate" / "cache.sqlite").unlink()

    run(["check"])

    assert in_parallel - len(ours(server)) >= SAMPLES // 3
    assert row(project, "relevancy") <= 2 / 3 + 1e-6


def test_what_was_spared_is_recorded_and_compared_without_a_call(made, server):
    project = made(EIGHT.format(more=RETRIEVAL), missed)
    project.record(missed, runs=3)
    assert run(["baseline", "update"]) == 0
    (project.root / ".ragate" / "cache.sqlite").unlink()
    server.requests.clear()

    assert run(["check"]) == 0

    assert ours(server) == []
    assert project.report()["facts"]["unscored"] == 0
    assert row(project, "pass_rate") <= 2 / 3 + 1e-6


def test_a_sample_that_is_found_again_is_asked_about(made, server):
    project = made(EIGHT.format(more=RETRIEVAL), missed)
    project.record(missed, runs=3)
    assert run(["baseline", "update"]) == 0
    project.record(right)
    server.requests.clear()

    assert run(["check"]) == 0

    assert len(ours(server)) == SAMPLES // 3


def test_samples_with_one_output_and_other_labels_are_told_apart(made, server):
    project = made(EIGHT.format(more=RETRIEVAL))
    same = {"query": "What is the value of 1?", "references": ["The value of 1 is 1 apples."]}
    project.extra = {0: {**same, "relevant": {"gone.md": 1}}, 1: same}
    project.write_golden(range(SAMPLES))
    project.record(lambda number, _: right(max(number, 1), 0))

    run(["check"])

    assert len(ours(server)) == SAMPLES - 1
    assert project.report()["facts"]["unscored"] == 0


EMBEDDED = """
[policy.embedder]
use = "hashing"
[policy.scorecard]
{more}
[policy.scorecard.stages.embedded_answer_relevance]
pass_at = 0.5
required = true
[policy.scorecard.stages.embedded_hallucination]
pass_at = 0.5
[policy.scorecard.stages.faithfulness_binary]
pass_at = 1
"""


def strange(number: int, _run: int) -> dict[str, Any]:
    """Every third answer is about something else."""
    found = right(number, 0)
    return found if number % 3 else {**found, "answer": "Zebras fly over purple mountains."}


@pytest.mark.parametrize("use", ["rubric", "llamaindex"])
def test_a_failed_stage_that_asks_an_embedder_spares_judge_and_embedder(made, server, use):
    embedded = _counted_texts()
    project = made(EMBEDDED.format(more=""), strange, use=use)

    with embedded as texts:
        run(["check"])

    assert len(ours(server)) == SAMPLES * 2 // 3
    assert sum("Zebras" in text for text in texts) == 1  # the answer, and never its sentences
    rows = [row(project, name) for name in ("pass_rate", "overall_score", "faithfulness_binary")]
    project = made(EMBEDDED.format(more="parallel = true"), strange, use=use)
    (project.root / ".ragate" / "cache.sqlite").unlink()
    run(["check"])
    assert len(ours(server)) == SAMPLES
    names = ("pass_rate", "overall_score", "faithfulness_binary")
    assert [row(project, name) for name in names] == rows


@contextmanager
def _counted_texts() -> Iterator[list[str]]:
    texts: list[str] = []
    embed = HashingEmbedder.__call__

    async def counted(self: HashingEmbedder, asked: Any) -> Any:
        texts.extend(asked)
        return await embed(self, asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HashingEmbedder, "__call__", counted)
        yield texts


@pytest.mark.parametrize("card", [EIGHT.format(more=RETRIEVAL), EMBEDDED.format(more="")])
def test_another_judge_is_not_asked_about_what_was_spared(made, server, card):
    answer = missed if "preset" in card else strange
    project = made(card, answer)
    project.configure(policy='store = "full"')
    assert run(["baseline", "update", "--runs", "1"]) == 0
    config = project.root / "ragate.toml"
    config.write_text(config.read_text().replace("judge-1", "judge-2"))
    server.requests.clear()

    assert run(["baseline", "rejudge"]) == 0

    assert len(ours(server)) == SAMPLES * 2 // 3
    assert run(["check"]) == 0
