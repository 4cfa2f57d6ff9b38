"""Drafts by a chat model: marked as such, under the caps, and no label before a person accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.dataset.generate import KINDS as OFFERED
from ragate.cli.main import run
from ragate.dataset import read_dataset, read_entries
from ragate.pipeline.golden.generate import KINDS
from tests.projects import TOPICS, write_docs_project
from tests.servers.openai_server import FakeOpenAI, openai_server, status

pytestmark = pytest.mark.integration

PROVIDER = """
[policy.providers.local]
base_url = "{url}"

[policy.metrics.contains]
level = "warn"
"""
MODEL = ("--provider", "local", "--model", "drafter-1")


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.reply = answer
        yield fake


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    write_docs_project(tmp_path)
    config = tmp_path / "ragate.toml"
    config.write_text(config.read_text() + PROVIDER.format(url=server.base_url))
    return tmp_path


def asked(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def answer(body: dict[str, Any]) -> str:
    """Answer as a model would: what the document says, or a question on it."""
    text = asked(body)
    facts = re.findall(r"Our (\w+) come from orchard (\d+)\.", text)
    quotes = [f"Our {topic} come from orchard {number}." for topic, number in facts]
    if "Question: " in text:
        return quotes[0] if quotes else "NOT ANSWERED"
    found = {"question": f"Which orchard has the {' and '.join(t for t, _ in facts)}?"}
    if "that the document does not answer" in text:
        found = {"question": f"What do {facts[0][0]} cost in winter in Peru?"}
    elif "in passing" in text:
        found = {"question": f"I just bought {facts[1][0]}, now who grows {facts[0][0]}?"}
        found |= {"answer": quotes[0], "quotes": quotes[:1]}  # type: ignore[dict-item]
    elif "needs both" in text:
        found |= {"answer": " ".join(quotes), "quotes": quotes}  # type: ignore[dict-item]
    else:
        found |= {"answer": quotes[0], "quotes": quotes[:1]}  # type: ignore[dict-item]
    return f"```json\n{json.dumps(found)}\n```"


def golden(project: Path) -> bytes:
    return (project / "golden.jsonl").read_bytes()


def without_references(project: Path) -> bytes:
    rows = [json.loads(line) for line in golden(project).splitlines()]
    lines = [json.dumps({k: v for k, v in row.items() if k != "references"}) for row in rows]
    (project / "golden.jsonl").write_text("\n".join(lines) + "\n")
    return golden(project)


def test_a_drafted_reference_counts_for_no_metric_until_it_is_accepted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_references(project)

    assert run(["dataset", "references", *MODEL]) == 0
    assert f"{len(TOPICS)} drafts written, to be accepted; {len(TOPICS)} model calls" in (
        capsys.readouterr().out
    )
    (entry, *_) = read_entries(project / "golden.jsonl")
    assert entry.drafted == ("Our apples come from orchard 0.",)
    assert all(sample.references == () for sample in read_dataset(project / "golden.jsonl"))
    assert run(["check", "--format", "json", "--output", "a.json"]) == 3
    rows = {
        row["metric"]: row for row in json.loads(Path("a.json").read_text())["decision"]["metrics"]
    }
    assert rows["token_f1"]["n"] == 0
    assert rows["token_f1"]["not_applicable"] == len(TOPICS)

    assert run(["dataset", "accept", "--all"]) == 0
    assert run(["check", "--format", "json", "--output", "b.json"]) == 3
    rows = {
        row["metric"]: row for row in json.loads(Path("b.json").read_text())["decision"]["metrics"]
    }
    assert rows["token_f1"]["not_applicable"] == 0
    (entry, *_) = read_entries(project / "golden.jsonl")
    assert entry.sample.references == ("Our apples come from orchard 0.",)


def test_what_was_drafted_before_costs_nothing_and_a_dry_run_writes_nothing(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    before = without_references(project)

    assert run(["dataset", "references", *MODEL, "--dry-run", "--ids", "apples,pears"]) == 0
    assert golden(project) == before
    assert len(server.requests) == 2
    assert run(["dataset", "references", *MODEL, "--ids", "apples,pears"]) == 0
    assert len(server.requests) == 2
    assert "0 model calls" in capsys.readouterr().out
    assert run(["dataset", "references", *MODEL]) == 0
    assert len(server.requests) == len(TOPICS)


def test_a_cap_ends_the_drafting_and_what_came_is_kept(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_references(project)
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace("[policy]\n", "[policy]\nmax_calls = 3\n", 1))

    assert run(["dataset", "references", *MODEL]) == 3

    assert "stopped: " in capsys.readouterr().err
    assert sum(bool(entry.drafted) for entry in read_entries(project / "golden.jsonl")) == 3


def test_only_samples_that_need_a_reference_are_asked_about(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"id": "a", "query": "A?", "relevant": ["figs.md"], "references": ["Yes."]},
        {"id": "b", "query": "B?", "answerable": False},
        {"id": "c", "query": "C?"},
        {"id": "d", "query": "D?", "relevant": ["figs.md"]},
        {"id": "e", "query": "E?", "relevant": ["lemons.md"]},
    ]
    (project / "golden.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    server.reply = lambda body: "NOT ANSWERED" if "lemons" in asked(body) else "Of figs."

    assert run(["dataset", "references", *MODEL]) == 0
    said = capsys.readouterr().out

    assert len(server.requests) == 2
    assert "not asked: 1 (has a reference)" in said
    assert "not asked: 1 (unanswerable)" in said
    assert "not asked: 1 (no expected document in the corpus)" in said
    assert "e: the documents do not answer it, says the model" in said
    drafted = {entry.sample.id: entry.drafted for entry in read_entries(project / "golden.jsonl")}
    assert drafted == {"a": (), "b": (), "c": (), "d": ("Of figs.",), "e": ()}


def test_a_provider_that_is_out_is_no_draft(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    before = without_references(project)
    server.faults = [status(401)] * 50

    assert run(["dataset", "references", *MODEL]) == 3

    assert "stopped: " in capsys.readouterr().err
    assert golden(project) == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "which model drafts?"),
        (["--provider", "locale", "--model", "m"], "did you mean 'local'?"),
    ],
)
def test_a_model_that_is_not_named_is_an_error(
    project: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert run(["dataset", "references", *options]) == 2
    assert said in capsys.readouterr().err


def test_the_command_offers_the_kinds_of_the_pipeline() -> None:
    assert OFFERED == KINDS


def test_generated_questions_are_drafts_of_every_kind(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = golden(project)

    assert run(["dataset", "generate", *MODEL, "--count", "8", "--output", "new.jsonl"]) == 0
    assert golden(project) == before
    entries = read_entries(project / "new.jsonl")
    kinds = [entry.sample.metadata["kind"] for entry in entries]

    assert set(kinds) == set(KINDS)
    assert all(entry.draft for entry in entries)
    for entry in entries:
        sample = entry.sample
        assert sample.answerable == (sample.metadata["kind"] != "unanswerable")
        assert len(sample.expected) == {"multi-document": 2, "unanswerable": 0}.get(
            str(sample.metadata["kind"]), 1
        )
        assert sample.evidence.keys() == sample.expected
    assert "draft questions" in capsys.readouterr().out


def test_the_same_seed_asks_for_the_same(project: Path, server: FakeOpenAI) -> None:
    options = ["dataset", "generate", *MODEL, "--count", "3", "--force", "--output", "new.jsonl"]

    assert run(options) == 0
    asked_first = len(server.requests)
    assert run(options) == 0
    assert len(server.requests) == asked_first == 3
    assert run([*options, "--seed", "1"]) == 0
    assert len(server.requests) > 3


def test_appended_drafts_are_not_asked_before_they_are_accepted(project: Path) -> None:
    before = golden(project)

    assert run(["dataset", "generate", *MODEL, "--count", "2", "--kind", "simple", "--append"]) == 0

    assert golden(project).startswith(before)
    assert len(read_entries(project / "golden.jsonl")) == len(TOPICS) + 2
    assert len(read_dataset(project / "golden.jsonl")) == len(TOPICS)
    assert run(["dataset", "accept", "--all"]) == 0
    assert len(read_dataset(project / "golden.jsonl")) == len(TOPICS) + 2
    assert run(["dataset", "validate"]) == 0


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I cannot.", "no JSON object"),
        ('{"question": "A?", "answer": "B.", "quotes": ["Invented."]}', "does not stand in"),
        ('{"question": "A?", "answer": "B."}', "no quote"),
        ('{"question": "", "answer": "B.", "quotes": []}', "no usable question"),
        ('{"question": "A?", "question": "B?"}', "stands twice"),
    ],
)
def test_a_reply_that_proves_nothing_is_dropped(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str], reply: str, said: str
) -> None:
    server.reply = lambda _body: reply
    options = ["--count", "2", "--kind", "simple", "--output", "new.jsonl"]

    assert run(["dataset", "generate", *MODEL, *options]) == 3

    assert said in capsys.readouterr().out
    assert not (project / "new.jsonl").exists()


def test_a_question_that_is_asked_already_is_dropped(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = {
        "question": "Where do the apples come from",
        "answer": "From there.",
        "quotes": ["Our"],
    }
    server.reply = lambda _body: json.dumps(reply)

    assert run(["dataset", "generate", *MODEL, "--kind", "simple", "--append"]) == 3
    assert "nearly the same as another question" in capsys.readouterr().out


def test_generating_needs_to_know_where_to(project: Path, server: FakeOpenAI) -> None:
    assert run(["dataset", "generate", *MODEL]) == 2
    assert run(["dataset", "generate", *MODEL, "--output", "golden.jsonl"]) == 2
    assert server.requests == []
