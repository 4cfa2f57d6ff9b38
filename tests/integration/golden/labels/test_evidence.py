"""The passage that a label rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.dataset import read_dataset
from tests.integration.golden.labels.label_projects import found, golden

pytestmark = pytest.mark.integration


def test_evidence_finds_the_part_that_holds_the_passage(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "evidence"]) == 0
    page = (project / "docs/apples.md").read_text()
    (project / "docs/apples.md").unlink()
    (project / "docs/one.md").write_text("# About apples\n\nApples are a fruit of many kinds.\n")
    (project / "docs/two.md").write_text(page.replace("# About apples", "# Where from"))
    capsys.readouterr()

    assert run(["dataset", "relink", "--json"]) == 0
    (lost,) = found(capsys)
    assert [one["doc_id"] for one in lost["candidates"]] == ["two.md"]
    assert lost["candidates"][0]["source"] == "evidence"

    assert run(["dataset", "relink", "--accept-all", "--min-similarity", "0.9"]) == 0
    (sample, *_) = read_dataset(project / "golden.jsonl")
    assert sample.relevant == {"two.md": 1}
    assert list(sample.evidence) == ["two.md"]


def test_evidence_is_recorded_once_and_a_change_makes_it_stale(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = golden(project)
    assert run(["dataset", "evidence", "--dry-run"]) == 0
    assert golden(project) == before
    assert run(["dataset", "evidence"]) == 0
    recorded = golden(project)
    (sample, *_) = read_dataset(project / "golden.jsonl")
    assert sample.evidence["apples.md"].quote.startswith("Our apples come from orchard 0.")
    assert run(["dataset", "validate", "--strict"]) == 0

    page = project / "docs/apples.md"
    page.write_text(page.read_text().replace("orchard 0", "orchard 17"))
    assert run(["dataset", "evidence"]) == 0
    assert golden(project) == recorded
    capsys.readouterr()
    assert run(["dataset", "validate", "--strict"]) == 2
    assert "the reference may be stale: apples.md" in capsys.readouterr().out

    assert run(["dataset", "evidence", "--renew", "--ids", "apples", "--hash-only"]) == 0
    (sample, *_) = read_dataset(project / "golden.jsonl")
    assert sample.evidence["apples.md"].quote == ""
    assert run(["dataset", "validate", "--strict"]) == 0
