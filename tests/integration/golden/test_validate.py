"""``ragate dataset``: the tools that need no server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.golden.tool_projects import found, write
from tests.projects import TOPICS

pytestmark = pytest.mark.integration


def rows(project: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project / "golden.jsonl").read_text().splitlines()]


def test_a_sound_golden_set_is_clean(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["dataset", "validate", "--strict", "--json"]) == 0
    facts = found(capsys)

    assert facts["file"] == "golden.jsonl"
    assert facts["issues"] == []
    assert facts["counts"]["samples"] == len(TOPICS) == facts["documents"]


BROKEN: list[dict[str, Any] | str] = [
    {"id": "a", "query": "Where do apples grow?", "relevant": ["apples.md"], "tags": ["x", "y"]},
    "{broken",
    {"id": "a", "query": "The same id?"},
    {"id": "b", "query": "where do  APPLES grow?", "relevant": ["apples.md"]},
    {"id": "c", "query": "Where do apples grow then?", "relevant": ["aples.md"]},
    {"id": "d", "query": "Nothing to score here at all"},
    {"id": "e", "query": "No answer, it says", "answerable": False, "references": ["Yes."]},
    {
        "id": "f",
        "query": "Which orchard has the pears",
        "relevant": ["pears.md"],
    },
]


def test_every_fault_is_listed_with_its_line(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, *BROKEN)

    assert run(["dataset", "validate", "--json"]) == 2
    facts = found(capsys)
    said = {(one["kind"], one["place"].rpartition(":")[2]) for one in facts["issues"]}

    assert said == {
        ("schema", "2"),
        ("schema", "3"),
        ("duplicate-query", "4"),
        ("near-duplicate", "5"),
        ("unknown-document", "5"),
        ("nothing-to-score", "6"),
        ("contradiction", "7"),
    }
    assert facts["errors"] == 3
    assert facts["tags"] == {"x": 1, "y": 1}


def test_the_text_names_place_value_and_remedy(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, *BROKEN)

    assert run(["dataset", "validate"]) == 2
    text = capsys.readouterr().out

    assert "golden.jsonl:5: c: expects 'aples.md', which is not in the corpus" in text
    assert "did you mean 'apples.md'?" in text
    assert "-> `ragate dataset relink`" in text
    assert text.endswith("3 errors, 4 warnings\n")


def test_warnings_alone_are_clean_unless_strict(project: Path) -> None:
    write(project, {"id": "d", "query": "Nothing to score here"})

    assert run(["dataset", "validate"]) == 0
    assert run(["dataset", "validate", "--strict"]) == 2


def test_a_file_is_checked_without_a_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"id": "a", "query": "A?", "relevant": ["gone.md"]})
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("Text.")

    assert run(["dataset", "validate", "golden.jsonl"]) == 0
    assert "not checked" in capsys.readouterr().out
    assert run(["dataset", "validate", "golden.jsonl", "--corpus", "docs"]) == 2
    assert run(["dataset", "validate"]) == 2
    assert run(["dataset", "validate", "gone.jsonl"]) == 2
