"""Answers made of the documents' own sentences."""

from __future__ import annotations

import pytest

from tests.integration.rag import Project

pytestmark = pytest.mark.integration


def test_an_extractive_answer_quotes_and_cites(project: Project) -> None:
    output = project.ask("What warranty has a pump?", answer={"sentences": 1})

    assert output.answer == "Every pump has a warranty of two years. [1]"
    assert output.citations == (1,)


def test_an_extractive_answer_refuses_what_the_documents_do_not_hold(project: Project) -> None:
    output = project.ask("Who won the football world championship with a pump?")

    assert output.answer == "I don't know: the documents do not answer this question."
    assert output.citations == ()
