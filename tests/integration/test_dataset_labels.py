"""Labels are a person's to give: suggest, relink, evidence and accept."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.dataset.suggest import ask_each
from ragate.cli.main import run
from ragate.dataset import read_dataset, read_entries
from ragate.pipeline.golden.suggest import Proposal, Suggestion
from tests.projects import TOPICS, write_docs_project

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    write_docs_project(tmp_path)
    return tmp_path


def golden(project: Path) -> bytes:
    return (project / "golden.jsonl").read_bytes()


def unlabel(project: Path) -> bytes:
    """Take the labels away and return the bytes of the golden set."""
    rows = [json.loads(line) for line in golden(project).splitlines()]
    lines = [json.dumps({k: v for k, v in row.items() if k != "relevant"}) for row in rows]
    (project / "golden.jsonl").write_text("\n".join(lines) + "\n")
    return golden(project)


def found(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def labels(project: Path) -> dict[str, dict[str, int]]:
    return {one.id: dict(one.relevant) for one in read_dataset(project / "golden.jsonl")}


def test_accepting_what_is_suggested_reproduces_the_labels(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = labels(project)
    before = unlabel(project)

    assert run(["dataset", "suggest", "--json", "--top", "3"]) == 0
    proposals = found(capsys)
    assert golden(project) == before

    assert [one["sample_id"] for one in proposals] == list(TOPICS)
    assert all(len(one["proposals"]) <= 3 for one in proposals)
    first = [f"{one['sample_id']}:{one['proposals'][0]['doc_id']}" for one in proposals]
    assert run(["dataset", "suggest", *(f"--accept={one}" for one in first)]) == 0
    assert labels(project) == wanted

    after = golden(project)
    assert run(["dataset", "suggest", f"--accept={first[0]}"]) == 0
    assert golden(project) == after


def test_a_review_file_takes_back_what_was_ticked_and_nothing_else(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = labels(project)
    before = unlabel(project)

    assert run(["dataset", "suggest", "--review", "review.md"]) == 0
    assert run(["dataset", "suggest", "--apply", "review.md"]) == 0
    assert "nothing new was accepted" in capsys.readouterr().out
    assert golden(project) == before

    review = project / "review.md"
    text = review.read_text()
    for topic in TOPICS:
        text = text.replace(f'- [ ] "{topic}.md" (rank 1', f'- [x] "{topic}.md" (rank 1')
    review.write_text(text)
    assert run(["dataset", "suggest", "--review", "review.md"]) == 2
    assert run(["dataset", "suggest", "--apply", "review.md"]) == 0

    assert labels(project) == wanted


def test_a_box_may_hold_a_grade(project: Path) -> None:
    (project / "golden.jsonl").write_text('{"id": "apples", "query": "Where do apples grow?"}\n')
    assert run(["dataset", "suggest", "--review", "review.md"]) == 0
    review = project / "review.md"
    review.write_text(review.read_text().replace('- [ ] "apples.md"', '- [2] "apples.md"'))

    assert run(["dataset", "suggest", "--apply", "review.md"]) == 0

    assert labels(project) == {"apples": {"apples.md": 2}}


def test_a_document_cannot_tick_its_own_box(project: Path) -> None:
    hostile = (
        '# Apples\n\nApples grow.\n- [x] "pears.md"\n## "pears" 0000000000000000\n- [x] "figs.md"\n'
    )
    (project / "docs/apples.md").write_text(hostile)
    before = unlabel(project)

    assert run(["dataset", "suggest", "--review", "review.md"]) == 0
    assert run(["dataset", "suggest", "--apply", "review.md"]) == 0

    assert golden(project) == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("- [ ]", "- [yes]"), "a box holds nothing, an x or a grade"),
        (("- [ ]", "- [5000]"), "must be from -1 to 1000"),
        (('## "apples"', '## "aples"'), "no sample has the id 'aples'"),
        (('## "apples"', "## apples"), "a heading is"),
        (('- [ ] "apples.md"', '- [x] "gone.md"'), "the corpus holds no document 'gone.md'"),
    ],
)
def test_a_broken_review_is_named_by_its_line_and_writes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], said: str
) -> None:
    before = unlabel(project)
    assert run(["dataset", "suggest", "--review", "review.md", "--ids", "apples"]) == 0
    review = project / "review.md"
    review.write_text(review.read_text().replace(*change, 1))

    assert run(["dataset", "suggest", "--apply", "review.md"]) == 2

    assert said in capsys.readouterr().err
    assert golden(project) == before


def test_a_review_of_a_question_that_was_edited_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unlabel(project)
    assert run(["dataset", "suggest", "--review", "review.md"]) == 0
    edited = golden(project).replace(b"Where do the apples", b"When do the apples")
    (project / "golden.jsonl").write_bytes(edited)

    assert run(["dataset", "suggest", "--apply", "review.md"]) == 2
    assert "was edited after this review" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--accept", "apples"], "must be SAMPLE:DOCUMENT"),
        (["--accept", "aples:apples.md"], "did you mean 'apples'?"),
        (["--accept", "apples:gone.md"], "the corpus holds no document 'gone.md'"),
        (["--accept", "apples:apples.md", "--review", "r.md"], "exclude one another"),
        (["--interactive"], "needs a terminal"),
        (["--ids", "aples"], "did you mean 'apples'?"),
    ],
)
def test_wrong_use_writes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    before = unlabel(project)

    assert run(["dataset", "suggest", *options]) == 2

    assert said in capsys.readouterr().err
    assert golden(project) == before


def test_bm25_over_a_folder_proposes_for_any_system(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unlabel(project)
    config = (project / "ragate.toml").read_text().split("[system]")[0]
    config = config.replace('systems = ["pgvector"]', 'systems = ["replay"]\nreplay_paths = ["*"]')
    (project / "ragate.toml").write_text(config + '[system]\nuse = "replay"\npaths = ["o.jsonl"]\n')

    assert run(["dataset", "suggest", "--system", "bm25"]) == 2
    assert "--corpus" in capsys.readouterr().err
    assert run(["dataset", "suggest", "--system", "bm25", "--corpus", "docs", "--json"]) == 0

    assert [one["proposals"][0]["doc_id"] for one in found(capsys)] == [f"{t}.md" for t in TOPICS]


def test_a_document_gives_no_command_to_the_log_of_a_workflow(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = "::error::Apples, ##[group]apples\x1b[31m and \u202eapples."
    (project / "docs/apples.md").write_text(page)
    unlabel(project)

    assert run(["dataset", "suggest", "--ids", "apples"]) == 0
    text = capsys.readouterr().out

    assert "apples.md" in text
    assert "::" not in text
    assert "##[" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_person_is_asked_about_each_question() -> None:
    one = Suggestion("a", "A?", (Proposal("x.md", 1, 1.0, "X"), Proposal("y.md", 2, None, "Y")))
    two = Suggestion("b", "B?", (Proposal("z.md", 1, 1.0, "Z"),))
    typed = iter(["7", "1, 2", ""])

    assert ask_each([one, two], lambda _one: next(typed)) == {"a": {"x.md": 1, "y.md": 1}}
    assert ask_each([one, two], lambda _one: "q") == {}


def git(project: Path, *arguments: str) -> None:
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *name, *arguments], cwd=project, check=True, capture_output=True)


def committed(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "x")


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


def drafts(project: Path) -> bytes:
    rows = [
        '{"id": "a",  "query": "A?", "references": [{"text": "Yes.", "draft": true}, "No."]}',
        '{"id":"b","draft":true,"query":"B?"}',
        '{"id": "c", "query": "C?", "tags": []}',
    ]
    (project / "golden.jsonl").write_text("\n".join(rows) + "\n")
    return golden(project)


def test_the_doctor_says_what_waits_for_a_person(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drafts(project)

    run(["doctor"])

    said = "1 draft sample and 1 draft reference do not count; `ragate dataset accept` shows them"
    assert said in capsys.readouterr().out


def test_drafts_count_when_they_are_accepted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = drafts(project)

    assert run(["dataset", "accept"]) == 0
    assert "2 samples with a draft; nothing was written" in capsys.readouterr().out
    assert golden(project) == before
    assert run(["dataset", "accept", "a,b"]) == 0

    assert golden(project).decode().splitlines() == [
        '{"id": "a",  "query": "A?", "references": ["No.", "Yes."]}',
        '{"id":"b","query":"B?"}',
        '{"id": "c", "query": "C?", "tags": []}',
    ]


def test_rejected_drafts_go(project: Path) -> None:
    drafts(project)

    assert run(["dataset", "accept", "--all", "--reject"]) == 0

    assert golden(project).decode().splitlines() == [
        '{"id": "a",  "query": "A?", "references": ["No."]}',
        '{"id": "c", "query": "C?", "tags": []}',
    ]
    assert all(not entry.drafted for entry in read_entries(project / "golden.jsonl"))


@pytest.mark.parametrize("options", [["c"], ["d"], ["a", "--all"]])
def test_accepting_what_is_no_draft_is_an_error(project: Path, options: list[str]) -> None:
    before = drafts(project)

    assert run(["dataset", "accept", *options]) == 2

    assert golden(project) == before
