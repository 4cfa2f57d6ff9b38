"""The tools for golden sets, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command import ragate
from tests.night import by_night
from tests.projects import TOPICS, write_docs_project

pytestmark = pytest.mark.e2e


def test_the_tools_are_listed_with_what_they_do(tmp_path: Path) -> None:
    done = ragate(tmp_path, "dataset", "--help")

    assert done.returncode == 0
    for name in ("validate", "import", "suggest", "relink", "references", "generate", "accept"):
        assert f"  {name} " in done.stdout
    assert ragate(tmp_path, "dataset").returncode == 2


@by_night
def test_labels_from_nothing_to_a_verdict(tmp_path: Path) -> None:
    write_docs_project(tmp_path)
    questions = [{"id": topic, "query": f"Where do the {topic} come from?"} for topic in TOPICS]
    golden = tmp_path / "golden.jsonl"
    golden.write_text("".join(f"{json.dumps(row)}\n" for row in questions))
    bare = golden.read_bytes()

    assert ragate(tmp_path, "dataset", "validate", "--strict").returncode == 2
    assert ragate(tmp_path, "dataset", "suggest", "--review", "review.md").returncode == 0
    assert golden.read_bytes() == bare
    review = tmp_path / "review.md"
    review.write_text(review.read_text().replace("- [ ]", "- [x]", 1))
    assert ragate(tmp_path, "dataset", "suggest", "--apply", "review.md").returncode == 0
    (first, *_) = [json.loads(line) for line in golden.read_text().splitlines()]
    assert first == {**questions[0], "relevant": ["apples.md"]}

    accepted = [f"--accept={topic}:{topic}.md" for topic in TOPICS[1:]]
    assert ragate(tmp_path, "dataset", "suggest", *accepted).returncode == 0
    assert ragate(tmp_path, "dataset", "validate", "--strict").returncode == 0
    done = ragate(tmp_path, "check", "--retrieval-only")
    assert "recall@5" in done.stdout


def test_a_golden_set_of_another_format_is_read_and_never_changed(tmp_path: Path) -> None:
    write_docs_project(tmp_path)
    table = tmp_path / "golden.csv"
    table.write_text("id,question\napples,Where do the apples come from?\n")
    before = table.read_bytes()

    refused = ragate(tmp_path, "dataset", "suggest", "golden.csv", "--accept", "apples:apples.md")

    assert refused.returncode == 2
    assert "ragate dataset import golden golden.csv --output" in refused.stderr
    assert table.read_bytes() == before
