"""A judge without a key: noticed before answers are paid for in vain, and only if needed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.projects import TOPICS, ReplayProject, edit_apples, right, write_docs_project
from tests.servers.faults import status
from tests.servers.model import answers_and_judges, is_judgement
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("served")]
CONCURRENCY = 2
JUDGED = """
[policy.providers.answering]
base_url = "{url}"
key_env = "ANSWER_KEY"
[policy.providers.judging]
base_url = "{url}"
key_env = "JUDGE_KEY"

[policy.judge]
use = "rubric"
provider = "judging"
model = "judge-1"

[policy.metrics.faithfulness]
level = "{level}"
"""
ANSWERED = """
[system.answer]
use = "chat"
provider = "answering"
model = "answer-1"
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANSWER_KEY", "sk-canary-0123456789")
    monkeypatch.setenv("JUDGE_KEY", "sk-canary-9876543210")
    monkeypatch.setenv("RAGATE_CONCURRENCY", str(CONCURRENCY))
    with openai_server() as fake:
        fake.reply = answers_and_judges()
        yield fake


def write(root: Path, server: FakeOpenAI, *, level: str = "error") -> None:
    write_docs_project(root)
    config = root / "ragate.toml"
    judged = JUDGED.format(url=server.base_url, level=level)
    config.write_text(config.read_text() + judged + ANSWERED)


def answers(server: FakeOpenAI) -> int:
    return sum(not is_judgement(body) for _, _, body in server.requests)


def test_no_answer_is_paid_for_that_nobody_could_judge(tmp_path, server, monkeypatch, capsys):
    write(tmp_path, server)
    monkeypatch.delenv("JUDGE_KEY")

    assert run(["check"]) == 3

    assert server.requests == []
    said = capsys.readouterr().err
    assert "JUDGE_KEY is not set" in said
    assert 'set JUDGE_KEY, or leave judged metrics out: [policy] without_key = "judge-free"' in said


def test_a_recording_asks_for_nothing_either_and_leaves_the_baseline(
    tmp_path, server, monkeypatch, capsys
):
    write(tmp_path, server)
    monkeypatch.delenv("JUDGE_KEY")

    assert run(["baseline", "update", "--runs", "2"]) == 3

    assert server.requests == []
    assert "set JUDGE_KEY" in capsys.readouterr().err
    assert not (tmp_path / "baselines" / "docs.json").exists()


def test_a_recording_without_its_judge_is_refused_before_anything_is_asked(
    tmp_path, server, monkeypatch, capsys
):
    write(tmp_path, server)
    config = tmp_path / "ragate.toml"
    free = '[policy]\nwithout_key = "judge-free"\n'
    config.write_text(config.read_text().replace("[policy]\n", free, 1))
    monkeypatch.delenv("JUDGE_KEY")

    assert run(["baseline", "update", "--runs", "1"]) != 0

    assert server.requests == []
    assert "faithfulness cannot be recorded" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["check"], ["baseline", "update"]], ids=["check", "update"])
def test_an_llm_that_is_not_installed_is_found_before_anything_is_asked(
    tmp_path, server, capsys, command
):
    write(tmp_path, server)
    config = tmp_path / "ragate.toml"
    ours = 'use = "rubric"\nprovider = "judging"\nmodel = "judge-1"'
    llm = 'use = "llamaindex"\nllm = "llama_index.llms.nonesuch:X"'
    text = config.read_text().replace("metrics.faithfulness]", "metrics.relevancy]")
    config.write_text(text.replace(ours, llm))

    assert run(command) == 2

    assert server.requests == []
    assert "pip install" in capsys.readouterr().err


@pytest.mark.parametrize("missing", [["ANSWER_KEY"], ["JUDGE_KEY"], ["ANSWER_KEY", "JUDGE_KEY"]])
def test_a_change_that_nobody_could_measure_does_not_pass(
    tmp_path, server, monkeypatch, capsys, missing
):
    """One affected sample of 40 is less than `max_unscored`."""
    many(tmp_path, server, 40)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    edit(tmp_path, 3)
    for name in missing:
        monkeypatch.delenv(name)

    assert run(["check"]) == 3

    assert f"{missing[0]} is not set" in "".join(capsys.readouterr())


def test_a_change_whose_every_answer_is_refused_does_not_pass(tmp_path, server, capsys):
    many(tmp_path, server, 40)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    edit(tmp_path, 3)
    server.faults.extend([status(401)] * 100)

    assert run(["check"]) == 3

    assert "no affected sample could be measured" in " ".join(capsys.readouterr().out.split())


def many(root: Path, server: FakeOpenAI, count: int) -> None:
    """Write a project of `count` pages, each of which answers one question."""
    write(root, server)
    config = root / "ragate.toml"
    config.write_text(config.read_text().replace("top_k = 5", "top_k = 1"))
    for page in (root / "docs").glob("*.md"):
        page.unlink()
    rows = []
    for number in range(count):
        topic = f"topic{number}x"
        text = f"# About {topic}\n\nOur {topic} come from orchard {number}. They are picked late.\n"
        (root / "docs" / f"{topic}.md").write_text(text)
        rows.append(
            {
                "id": topic,
                "query": f"Where do the {topic} come from?",
                "relevant": {f"{topic}.md": 1},
                "references": [f"The {topic} come from orchard {number}."],
            }
        )
    (root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def edit(root: Path, number: int) -> None:
    page = root / "docs" / f"topic{number}x.md"
    page.write_text(page.read_text().replace("picked late", "picked early"))
    (root / ".ragate" / "cache.sqlite").unlink()


def test_with_the_key_the_refused_run_pays_for_each_answer_once(tmp_path, server, monkeypatch):
    write(tmp_path, server)
    monkeypatch.delenv("JUDGE_KEY")
    run(["check"])
    monkeypatch.setenv("JUDGE_KEY", "sk-canary-9876543210")

    run(["check"])

    assert answers(server) == len(TOPICS)


def test_a_run_after_no_change_needs_no_key_at_all(tmp_path, server, monkeypatch):
    write(tmp_path, server)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    (tmp_path / ".ragate" / "cache.sqlite").unlink()
    monkeypatch.delenv("JUDGE_KEY")
    monkeypatch.delenv("ANSWER_KEY")
    server.requests.clear()

    assert run(["check"]) == 0

    assert server.requests == []


@pytest.mark.parametrize(
    ("package", "found", "wanted"),
    [("openai", "1.109.1", ">=2,<4"), ("llama-index-core", "0.12.52", ">=0.13,<0.15")],
)
def test_a_package_of_another_version_ends_the_run_with_the_command(
    tmp_path, server, monkeypatch, capsys, package, found, wanted
):
    write(tmp_path, server)
    installed = "ragate.installed.version"
    monkeypatch.setattr(installed, lambda name: found if name == package else version(name))

    assert run(["check"]) == 2

    said = capsys.readouterr().err
    assert f"and {found} is installed\n  -> pip install '{package}{wanted}'" in said
    assert server.requests == []


def test_a_judge_that_does_not_gate_lets_the_others_decide(tmp_path, server, monkeypatch, capsys):
    write(tmp_path, server, level="warn")
    assert run(["baseline", "update", "--runs", "1"]) == 0
    (tmp_path / ".ragate" / "cache.sqlite").unlink()
    edit_apples(tmp_path)
    monkeypatch.delenv("JUDGE_KEY")

    assert run(["check"]) == 0

    assert "JUDGE_KEY is not set" in " ".join(capsys.readouterr().out.split())


def test_outputs_that_cost_nothing_still_show_what_other_metrics_say(
    tmp_path, server, monkeypatch, capsys
):
    metrics = JUDGED.format(url=server.base_url, level="error")
    project = ReplayProject(tmp_path, samples=6, metrics=metrics)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    project.record(lambda n, r: {**right(n, r), "answer": "It is so."})
    monkeypatch.delenv("JUDGE_KEY")
    capsys.readouterr()

    assert run(["check"]) != 0

    said = " ".join(capsys.readouterr().out.split())
    assert "token_f1" in said
    assert "JUDGE_KEY is not set" in said
