"""A review file, read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.contrib.golden.labels.label_projects import golden, labels, unlabel
from tests.projects import TOPICS

pytestmark = pytest.mark.integration


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
