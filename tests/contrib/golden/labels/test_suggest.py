"""Labels are a person's to give: suggest, relink, evidence and accept."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.contrib.golden.commands.suggest import ask_each
from ragate.contrib.golden.suggest import ProposedDocument, Suggestion
from tests.contrib.golden.labels.label_projects import drafts, found, golden, labels, unlabel
from tests.projects import TOPICS

pytestmark = pytest.mark.integration


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
    one = Suggestion(
        "a", "A?", (ProposedDocument("x.md", 1, 1.0, "X"), ProposedDocument("y.md", 2, None, "Y"))
    )
    two = Suggestion("b", "B?", (ProposedDocument("z.md", 1, 1.0, "Z"),))
    typed = iter(["7", "1, 2", ""])

    assert ask_each([one, two], lambda _one: next(typed)) == {"a": {"x.md": 1, "y.md": 1}}
    assert ask_each([one, two], lambda _one: "q") == {}


def test_the_doctor_says_what_waits_for_a_person(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drafts(project)

    run(["doctor"])

    said = "1 draft sample and 1 draft reference do not count; `ragate dataset accept` shows them"
    assert said in capsys.readouterr().out
