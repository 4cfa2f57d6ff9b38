"""pairwise through the command: shown, held against its limit, and never a comparison of means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.contrib.llamaindex_judge.known_answers import is_known, sound
from tests.projects import ReplayProject, right
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration
SAMPLES = 8
JUDGE = """
[policy.providers.local]
base_url = "{url}"

[policy.judge]
use = "llamaindex"
provider = "local"
model = "judge-1"

[policy.metrics.pairwise]
level = "{level}"
{limit}
"""


def prefers(word: str) -> Any:
    """Return a judge that likes the answer with a word in it."""

    def reply(body: dict[str, Any]) -> str:
        text = body["messages"][1]["content"]
        if is_known(text):
            return "[[A]]" if sound("pairwise", text) else "[[B]]"
        first, second = text.split("Answer]\n")[1:4:2]
        if (word in first) == (word in second):
            return "[[C]]"
        return "[[A]]" if word in first else "[[B]]"

    return reply


@pytest.fixture
def gate(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.chdir(tmp_path)
    server.reply = prefers("[1]")
    metrics = JUDGE.format(url=server.base_url, level="warn", limit="")
    project = ReplayProject(tmp_path, samples=SAMPLES, metrics=metrics)
    project.record(right)
    return project


def row(project: ReplayProject) -> dict[str, Any]:
    rows = project.report()["decision"]["metrics"]
    found: dict[str, Any] = next(one for one in rows if one["metric"] == "pairwise")
    return found


def asked(server: FakeOpenAI) -> list[str]:
    """Return what was asked about our answers."""
    texts = [body["messages"][1]["content"] for _, _, body in server.requests]
    return [text for text in texts if not is_known(text)]


def test_a_baseline_is_even_with_itself_and_an_unchanged_run_asks_nothing(gate, server):
    assert run(["baseline", "update", "--runs", "1"]) == 0

    assert run(["check"]) == 0

    assert server.requests == []
    assert (row(gate)["baseline"], row(gate)["candidate"]) == (0.5, 0.5)


def test_worse_answers_are_named_and_two_calls_each_and_gate_only_by_a_limit(gate, server, capsys):
    assert run(["baseline", "update", "--runs", "1"]) == 0
    changed = {1, 5}

    def answer(number: int, run: int) -> dict[str, Any]:
        plain = right(number, run)
        return {**plain, "answer": plain["answer"][:-4]} if number in changed else plain

    gate.record(answer)
    capsys.readouterr()

    assert run(["check"]) == 0

    assert len(asked(server)) == 2 * len(changed)
    assert row(gate)["candidate"] == 0.375
    assert "pairwise: 0 better, 2 worse: q1, q5" in " ".join(capsys.readouterr().out.split())

    limit = JUDGE.format(url=server.base_url, level="error", limit="minimum = 0.45")
    gate.configure(metrics=limit)
    assert run(["check"]) == 1
    assert len(asked(server)) == 2 * len(changed)  # the verdicts are in the cache


def test_hashes_alone_cannot_be_compared_with(gate, server):
    gate.configure(policy='store = "hashes"')
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.record(lambda number, run: {**right(number, run), "answer": f"{number} apples. [1]"})

    run(["check"])

    assert row(gate)["candidate"] is None
    assert "the baseline holds no answers" in row(gate)["reason"]
    assert server.requests == []
