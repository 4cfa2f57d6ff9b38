"""Words and their weights."""

from __future__ import annotations

import pytest

from tests.integration.rag import Project, write

pytestmark = pytest.mark.integration


def test_a_stem_finds_its_other_forms_and_without_stemming_it_does_not(project: Project) -> None:
    question = "warranties"

    assert project.ask(question).chunks[0].doc_id == "guides/warranty.md"
    assert project.ask(question, bm25={"stemmer": "none"}).chunks == ()


def test_a_question_of_stop_words_finds_nothing_unless_they_count(project: Project) -> None:
    assert project.ask("What is it and why?").chunks == ()
    assert project.ask("What is it and why?", bm25={"stop_words": "none"}).chunks


def test_bm25_scores_are_those_of_the_formula(project: Project) -> None:
    from math import log

    write(project.root / "two/a.txt", "red red pump")
    write(project.root / "two/b.txt", "blue")
    found = project.ask("red", corpus="two", bm25={"k1": 1.2, "b": 0.75}).chunks

    idf = log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    tf = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    assert [chunk.score for chunk in found] == [pytest.approx(idf * tf, abs=1e-4)]
