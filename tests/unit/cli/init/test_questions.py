"""The questions that a new golden set starts with."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.init.questions import from_corpus, from_recordings, to_jsonl
from ragate.dataset import read_dataset
from ragate.models import Sample
from ragate.outputs.recorded_output import RecordedOutput
from ragate.systems.pgvector.corpus import read_corpus
from tests.unit.cli.init.init_factories import pages, write


def test_questions_are_made_from_headings_of_pages_all_over_the_corpus(tmp_path: Path) -> None:
    write(tmp_path, pages(*(f"docs/{letter}.md" for letter in "abcdefghij")))
    corpus = read_corpus(tmp_path, "docs")

    found = from_corpus(corpus)

    assert [next(iter(one.relevant)) for one in found] == ["a.md", "c.md", "e.md", "h.md", "j.md"]
    assert found[0].query == 'What about "Limits of docs/a.md" in "About docs/a.md"?'
    assert {one.tags for one in found} == {("starter",)}


def test_a_single_page_gives_several_questions(tmp_path: Path) -> None:
    text = "# Guide\n\n## Install it\n\nA.\n\n## Why is it slow?\n\nB.\n\n## Overview\n\nC.\n"
    write(tmp_path, {"docs/guide.md": text})

    found = [one.query for one in from_corpus(read_corpus(tmp_path, "docs"))]

    assert found == ['What about "Install it" in "Guide"?', "Why is it slow?"]


def test_a_heading_in_a_code_block_and_markup_make_no_question(tmp_path: Path) -> None:
    text = (
        "# The `run` command\n\n```bash\n# not a heading\n```\n\n## 2. See [the docs](x.md)\n\nB."
    )
    write(tmp_path, {"docs/run.md": text})

    found = [one.query for one in from_corpus(read_corpus(tmp_path, "docs"))]

    assert found == ['What about "See the docs" in "The run command"?']


@pytest.mark.parametrize(
    ("name", "text", "query"),
    [
        ("a.txt", "Refunds end after 30 days.\n", 'What is "Refunds end after 30 days." about?'),
        ("a.html", "<title>Fees</title><h1>Fees</h1><p>x</p>", 'What is "Fees" about?'),
        ("a.md", "Only text, no heading.", 'What is "Only text, no heading." about?'),
    ],
)
def test_a_page_without_headings_is_asked_for_by_its_beginning(
    tmp_path: Path, name: str, text: str, query: str
) -> None:
    write(tmp_path, {f"docs/{name}": text})

    assert [one.query for one in from_corpus(read_corpus(tmp_path, "docs"))] == [query]


def test_recorded_questions_keep_their_ids_and_are_not_judged() -> None:
    lines = [{"id": "q1", "question": "Which?"}, {"question": "Which?"}, {"id": "q2"}]

    found = from_recordings(RecordedOutput.model_validate(line) for line in lines)

    assert [(one.id, one.query, one.relevant) for one in found] == [("q1", "Which?", {})]


def test_a_starter_set_is_a_golden_set(tmp_path: Path) -> None:
    odd = Sample(id="a", query='He said "é\\"\u2028?', relevant={"ü.md": 1}, tags=("starter",))
    write(tmp_path, {"golden.jsonl": to_jsonl([odd])})

    assert read_dataset(tmp_path / "golden.jsonl") == [odd]
