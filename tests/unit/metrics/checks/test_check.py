"""Every check is passed or not, and says why not."""

from __future__ import annotations

import pytest

from ragate.models import RetrievedChunk, Sample, ScoreState, SystemOutput
from tests.unit.metrics.metric_factories import CHECKS, answered, asked, broken, make, score

SETTINGS = {"min_retrieval_score": {"threshold": 0.5}}
GOOD = SystemOutput(
    answer="1. Pay [1].\n2. Ship [1].",
    chunks=(RetrievedChunk(doc_id="a", text="Pay, then ship.", score=0.9),),
)


def steps(*, answerable: bool = True) -> Sample:
    return asked(query="What are the steps?", answerable=answerable)


@pytest.mark.parametrize("name", CHECKS)
def test_a_good_answer_passes_and_nothing_is_said(name: str) -> None:
    found = score(name, steps(), GOOD, settings=SETTINGS.get(name))

    assert (found.value, found.reason) == (1.0, "")


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    ("output", "reason"),
    [(answered(" ", "x"), "the answer is empty"), (broken("system", "a"), "failed: it broke")],
)
def test_a_failed_sample_fails_every_check_with_its_message(
    name: str, output: SystemOutput, reason: str
) -> None:
    found = score(name, steps(), output, settings=SETTINGS.get(name))

    assert (found.value, found.reason) == (0.0, reason)


@pytest.mark.parametrize("name", sorted({*CHECKS} - {"not_empty"}))
def test_an_unanswerable_question_is_not_applicable(name: str) -> None:
    found = score(name, steps(answerable=False), GOOD, settings=SETTINGS.get(name))

    assert found.state is ScoreState.NOT_APPLICABLE


def test_a_refusal_is_not_empty() -> None:
    sample = asked(answerable=False)

    assert score("not_empty", sample, answered("I don't know.")).value == 1.0
    assert score("not_empty", sample, answered("[1] …!")).reason == "the answer holds no word"


def test_without_contexts_the_check_says_so() -> None:
    textless = SystemOutput(answer="x", chunks=(RetrievedChunk(doc_id="a"),))

    assert score("has_contexts", asked(), answered("x")).reason == "nothing was retrieved"
    assert score("has_contexts", asked(), answered("x", "text", " ")).value == 1.0
    assert score("has_contexts", asked(), textless).state is ScoreState.UNSCORED


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_which_part_of_the_output_it_reads(name: str) -> None:
    reads = {"has_contexts": "retrieval", "min_retrieval_score": "retrieval"}

    assert make(name).info.reads == reads.get(name, "answer")
