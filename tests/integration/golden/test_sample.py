"""A sample of a golden set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.dataset import read_dataset
from tests.integration.golden.tool_projects import write

pytestmark = pytest.mark.integration


def tagged(project: Path) -> None:
    sizes = {"big": 60, "middle": 30, "small": 9, "": 1}
    lines = [
        {"id": f"{tag or 'none'}{n}", "query": f"{tag} {n}?", "tags": [tag] if tag else []}
        for tag, size in sizes.items()
        for n in range(size)
    ]
    write(project, *lines, {"id": "draft", "query": "Draft?", "draft": True})


def take(*options: str) -> list[str]:
    assert run(["dataset", "sample", *options, "--output", "part.jsonl", "--force"]) == 0
    return [sample.id for sample in read_dataset(Path("part.jsonl"))]


def test_a_sample_has_each_tag_in_proportion_and_repeats(project: Path) -> None:
    tagged(project)

    first = take("20", "--by-tag")
    tags = [name.rstrip("0123456789") for name in first]

    assert {tag: tags.count(tag) for tag in tags} == {"big": 12, "middle": 6, "small": 1, "none": 1}
    assert first == take("20", "--by-tag")
    assert first != take("20", "--by-tag", "--seed", "1")
    assert len(take("3", "--by-tag")) == 3
    assert len(take("100")) == 100


def test_a_sample_keeps_all_that_is_known_of_a_question(project: Path) -> None:
    whole = {
        "id": "a",
        "query": "A?",
        "relevant": {"x.md": 2},
        "references": ["Yes.", {"text": "No.", "draft": True}],
        "answerable": True,
        "tags": ["t"],
        "must_pass": True,
        "metadata": {"source": "forum"},
    }
    write(project, whole)

    take("1")

    assert json.loads(Path("part.jsonl").read_text()) == whole


def test_a_sample_overwrites_nothing_and_is_not_larger_than_the_whole(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / "golden.jsonl").read_bytes()

    assert run(["dataset", "sample", "2", "--output", "golden.jsonl"]) == 2
    assert "--force" in capsys.readouterr().err
    assert run(["dataset", "sample", "99", "--output", "part.jsonl"]) == 2
    assert run(["dataset", "sample", "2", "--output", "part.csv"]) == 2
    assert "give it the ending .jsonl" in capsys.readouterr().err
    assert not Path("part.jsonl").exists()
    assert (project / "golden.jsonl").read_bytes() == before
