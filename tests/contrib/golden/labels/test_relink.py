"""Labels follow documents that were renamed or edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.contrib.golden.labels.label_projects import found, golden, labels
from tests.projects import TOPICS
from tests.repositories import commit, git

pytestmark = pytest.mark.integration


def committed(project: Path) -> None:
    git(project, "init", "-q")
    commit(project, "x")


def test_a_renamed_and_edited_page_is_proposed_by_its_old_text_in_git(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = project / "docs/apples.md"
    old.write_text(old.read_text() + "\n\nThe tree wants sun and much water in the early spring.\n")
    committed(project)
    (project / "docs/fruit").mkdir()
    old.rename(project / "docs/fruit/malus.md")
    moved = project / "docs/fruit/malus.md"
    moved.write_text(moved.read_text().replace("much water", "some water") + "\nOne more line.\n")
    before = golden(project)

    assert run(["dataset", "relink", "--json"]) == 0
    (lost,) = found(capsys)
    assert golden(project) == before
    assert (lost["sample_id"], lost["doc_id"]) == ("apples", "apples.md")
    assert lost["candidates"][0]["doc_id"] == "fruit/malus.md"
    assert lost["candidates"][0]["source"] == "git"
    assert lost["candidates"][0]["similarity"] > 0.6

    assert run(["dataset", "relink", "--accept", "apples"]) == 0
    assert golden(project) == before.replace(b'{"apples.md": 1}', b'["fruit/malus.md"]')
    assert run(["dataset", "validate", "--strict"]) == 0


def test_git_knows_the_old_text_for_a_system_that_does_not_tell_its_documents(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = project / "ragate.toml"
    policy = config.read_text().partition("[system]")[0].replace("pgvector", "python")
    config.write_text(f'{policy}[system]\nuse = "python"\ntarget = "rag:ask"\n')
    committed(project)
    (project / "docs/apples.md").rename(project / "docs/malus.md")

    assert run(["dataset", "relink", "--corpus", "docs", "--json"]) == 0

    (lost,) = found(capsys)
    assert (lost["candidates"][0]["doc_id"], lost["candidates"][0]["source"]) == ("malus.md", "git")


def test_a_line_of_a_corpus_file_is_found_by_its_old_text_in_git(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = project / "docs/corpus.jsonl"
    text = "Apples come from the old orchard behind the mill, where the river bends to the north."
    rows = [{"_id": "apples.md", "title": "Apples", "text": text}]
    rows += [{"_id": f"{t}.md", "title": t, "text": f"All about {t}."} for t in TOPICS[1:]]
    corpus.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    committed(project)
    corpus.write_text(corpus.read_text().replace("apples.md", "fruit-1"))

    assert run(["dataset", "relink", "--json"]) == 0

    (lost,) = found(capsys)
    assert [one["doc_id"] for one in lost["candidates"]] == ["fruit-1"]
    assert (lost["candidates"][0]["source"], lost["candidates"][0]["similarity"]) == ("git", 1.0)


def test_a_name_alone_is_shown_and_never_taken_by_itself(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "docs/apples.md").rename(project / "docs/apple.md")
    (project / "docs/apple.md").write_text("Something else altogether.\n")
    before = golden(project)

    assert run(["dataset", "relink"]) == 0
    assert "by name  apple.md" in capsys.readouterr().out
    assert run(["dataset", "relink", "--accept-all", "--min-similarity", "0"]) == 0
    assert golden(project) == before
    assert run(["dataset", "relink", "--accept", "apples.md"]) == 2
    assert "--accept apples.md=DOC" in capsys.readouterr().err
    assert run(["dataset", "relink", "--accept", "apples.md=gone.md"]) == 2
    assert run(["dataset", "relink", "--accept", "pears"]) == 2
    assert run(["dataset", "relink", "--accept-all"]) == 2
    assert golden(project) == before

    assert run(["dataset", "relink", "--accept", "apples.md=apple.md"]) == 0
    assert labels(project)["apples"] == {"apple.md": 1}


def test_grades_go_along_and_the_higher_one_stays(project: Path) -> None:
    row = {"id": "a", "query": "A?", "expected": {"gone.md": 3, "figs.md": 1, "pears.md": 0}}
    (project / "golden.jsonl").write_text(json.dumps(row) + "\n")

    assert run(["dataset", "relink", "--accept", "gone.md=figs.md"]) == 0

    assert json.loads(golden(project)) == {**row, "expected": {"figs.md": 3, "pears.md": 0}}
