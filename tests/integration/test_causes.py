"""Planted changes of the built-in system, through the commands: what the report blames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.night import by_night

pytestmark = pytest.mark.integration

TOPICS = ("apples", "pears", "plums", "grapes", "cherries", "figs", "lemons", "melons")
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/docs.json"
systems = ["pgvector"]
runs = 1

[policy.metrics."mrr@5"]
max_drop = 0.01
[policy.metrics.idf_f1]
max_drop = 0.01
[policy.metrics.lexical_support]
max_drop = 0.01

[system]
use = "pgvector"
corpus = "docs"
chunk_size = {chunk_size}
chunk_overlap = 0
top_k = {top_k}

[system.answer]
sentences = {sentences}
"""


def configure(*, chunk_size: int = 128, top_k: int = 5, sentences: int = 3) -> None:
    text = CONFIG.format(chunk_size=chunk_size, top_k=top_k, sentences=sentences)
    Path("ragate.toml").write_text(text)


def page(topic: str, number: int) -> str:
    return (
        f"# About {topic}\n\nOur {topic} come from orchard {number}, which lies by the river "
        f"behind the old mill that was built in the year {1900 + number} by a family of millers.\n"
    )


def price(topic: str, number: int) -> str:
    return f"# Gate\n\nThe {topic} cost {number + 3} euros a crate where they are bought.\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: PostgresDatabase) -> Path:
    """A folder of eight pages with a baseline of the built-in system."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_DATABASE_URL", database.conninfo())
    Path("docs").mkdir()
    lines = []
    for number, topic in enumerate(TOPICS):
        Path("docs", f"{topic}.md").write_text(page(topic, number))
        Path("docs", f"price-{topic}.md").write_text(price(topic, number))
        lines.append(
            {
                "id": topic,
                "query": f"Which orchard do the {topic} come from and what do they cost?",
                "relevant": {f"{topic}.md": 1},
                "references": [
                    f"The {topic} come from orchard {number} and cost {number + 3} euros a crate."
                ],
            }
        )
    Path("golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    configure()
    assert run(["baseline", "update"]) == 0
    return tmp_path


def checked() -> dict[str, Any]:
    assert run(["check", "--format", "json", "--output", "r.json"]) in (0, 1)
    found: dict[str, Any] = json.loads(Path("r.json").read_text())
    return found


def causes(report: dict[str, Any]) -> set[str]:
    return {row["cause"]["kind"] for row in report["samples"] if row["cause"]}


def evidence(report: dict[str, Any]) -> list[str]:
    return [row["cause"]["evidence"] for row in report["samples"] if row["cause"]]


def words(report: dict[str, Any]) -> str:
    return json.dumps(report["diagnosis"]).lower()


def test_smaller_chunks_are_blamed_on_retrieval_and_named_first(project: Path) -> None:
    configure(chunk_size=16)

    report = checked()

    assert causes(report) == {"retrieval"}
    assert all(one.endswith("; changed: chunk_size 128 -> 16") for one in evidence(report))


def test_edited_documents_with_their_old_ids_are_data(project: Path) -> None:
    for number, topic in enumerate(TOPICS[:4]):
        text = (
            page(topic, number).replace(f"orchard {number}", "a field").replace("euros", "pounds")
        )
        Path("docs", f"{topic}.md").write_text(text)

    report = checked()

    assert causes(report) == {"data"}
    assert all(one.endswith("; changed: the corpus") for one in evidence(report))
    edited = {row["sample_id"]: row["cause"]["edited"] for row in report["samples"] if row["cause"]}
    assert "apples.md" in edited["apples"]


def test_fewer_sentences_are_generation_without_a_word_of_models_or_prompts(project: Path) -> None:
    configure(sentences=1)

    report = checked()

    assert causes(report) == {"generation"}
    assert all(one.endswith("; changed: answer.sentences 3 -> 1") for one in evidence(report))
    assert "prompt" not in words(report)
    assert "model" not in words(report)


def test_a_baseline_of_the_first_version_is_compared_and_nothing_is_guessed(project: Path) -> None:
    path = Path("baselines/docs.json")
    old = json.loads(path.read_text())
    old["schema_version"] = 1
    del old["system"]["settings"]
    for sample in old["samples"].values():
        for output in sample["outputs"]:
            del output["texts"]
    path.write_text(json.dumps(old))
    configure(chunk_size=16)

    report = checked()

    assert causes(report) <= {"retrieval", "unknown"}
    assert all(one.endswith("; changed: settings") for one in evidence(report))


# The collections are not part of the project: an outsider's checkout has none.
CLAPNQ = Path(__file__).parents[2] / "../shared/data/clapnq_dev"


@by_night
@pytest.mark.skipif(
    not (CLAPNQ / "corpus.jsonl").exists(),
    reason="the clapnq collection is not beside this repository",
)
def test_causes_planted_in_a_real_collection_are_right_and_never_confidently_wrong(
    ready: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks.causes_on_collections import NOTHING, Project, collection, kept, tally
    from benchmarks.planted_changes import QUOTED

    monkeypatch.setenv("RAGATE_STATE_DIR", str(ready))
    documents, rows = collection(CLAPNQ)
    project = Project(ready / "project", documents, rows[:60])
    project.write(NOTHING)
    project.run("baseline", "update")

    for name in ("chunk_size 512 -> 32", "documents edited"):
        found = tally(name, project.check(QUOTED[name]), QUOTED[name].causes)

        assert found.said.total() >= 5
        assert kept(found), found.line()
