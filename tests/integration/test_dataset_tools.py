"""``ragate dataset``: the tools that need no server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.dataset import read_dataset
from tests.projects import TOPICS, write_docs_project

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    write_docs_project(tmp_path)
    return tmp_path


def rows(project: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project / "golden.jsonl").read_text().splitlines()]


def write(project: Path, *lines: dict[str, Any] | str, name: str = "golden.jsonl") -> Path:
    path = project / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n")
    return path


def found(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


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
        "evidence": {"pears.md": "Our pears come from orchard 99."},
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
        ("stale-evidence", "8"),
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
    assert text.endswith("3 errors, 5 warnings\n")


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


def test_an_unknown_tool_names_the_nearest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "validat"]) == 2
    assert "did you mean 'validate'?" in capsys.readouterr().err


def test_two_golden_sets_are_compared_field_by_field(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before: list[dict[str, Any] | str] = [
        {"id": "a", "query": "A?", "relevant": {"x.md": 1, "y.md": 1}, "tags": ["t"]},
        {"id": "b", "query": "B?", "references": ["Yes."]},
        {"id": "c", "query": "C?"},
        {"id": "d", "query": "D?", "tags": ["t"]},
    ]
    after: list[dict[str, Any] | str] = [
        {"id": "a", "query": "A?", "relevant": {"y.md": 2, "z.md": 1}, "tags": ["t"]},
        {"id": "b", "query": "B?", "references": ["Yes.", {"text": "No.", "draft": True}]},
        {"id": "d", "query": "D?", "tags": ["u"]},
        {"id": "e", "query": "E?"},
    ]
    write(project, *before, name="a.jsonl")
    write(project, *after, name="b.jsonl")

    assert run(["dataset", "diff", "a.jsonl", "b.jsonl", "--json"]) == 0
    facts = found(capsys)
    edited = {one["sample_id"]: one for one in facts["edited"]}

    assert (facts["added"], facts["removed"], facts["unchanged"]) == (["e"], ["c"], 0)
    assert edited["a"]["labels"] == {
        "added": ["z.md"],
        "removed": ["x.md"],
        "regraded": ["y.md 1 to 2"],
    }
    assert edited["a"]["rescored"]
    assert [one["field"] for one in edited["b"]["changes"]] == ["draft references"]
    assert not edited["b"]["rescored"]
    assert not edited["d"]["rescored"]

    assert run(["dataset", "diff", "a.jsonl", "b.jsonl"]) == 0
    text = capsys.readouterr().out
    assert "expected documents: added z.md; removed x.md; regraded y.md 1 to 2" in text
    assert '~ d (old scores still count)\n    tags: ["t"] -> ["u"]' in text


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
        "evidence": {"x.md": {"quote": "Yes."}},
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
