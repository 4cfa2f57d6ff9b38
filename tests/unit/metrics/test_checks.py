"""Every check is passed or not, and says why not."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.metrics.checks import items_of
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
    [(answered(" "), "the answer is empty"), (broken("system"), "failed: it broke")],
)
def test_a_failed_sample_fails_every_check_with_its_message(
    name: str, output: SystemOutput, reason: str
) -> None:
    found = score(name, steps(), output, settings=SETTINGS.get(name))

    assert (found.value, found.reason) == (0.0, reason)


@pytest.mark.parametrize("name", sorted({*CHECKS} - {"not_empty", "complete_answer"}))
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


@pytest.mark.parametrize(
    ("answer", "citations", "reason"),
    [
        ("Yes [1].", None, ""),
        ("Yes [2, 9].", None, ""),
        ("Yes.", (2,), ""),
        ("Yes.", None, "the answer cites nothing"),
        ("Yes [1].", (), "the answer cites nothing"),
        ("Yes [3].", None, "no citation leads to a retrieved chunk"),
        ("Yes [1].", (0,), "no citation leads to a retrieved chunk"),
    ],
)
def test_a_citation_counts_where_it_leads_to_a_chunk(
    answer: str, citations: tuple[int, ...] | None, reason: str
) -> None:
    found = score("has_citations", asked(), answered(answer, "a", "b", citations=citations))

    assert (found.value, found.reason) == (0.0 if reason else 1.0, reason)


def scored(*scores: float | None) -> SystemOutput:
    chunks = [RetrievedChunk(doc_id=f"d{n}", score=one) for n, one in enumerate(scores)]
    return SystemOutput(answer="x", chunks=tuple(chunks))


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        ("best", ""),
        ("mean", "the mean score is 0.5, below 0.7"),
        ("all", "the lowest score is 0.3, below 0.7"),
    ],
)
def test_the_score_that_is_asked_for_has_to_reach_the_threshold(of: str, reason: str) -> None:
    settings = {"threshold": 0.7, "of": of}

    found = score("min_retrieval_score", asked(), scored(0.7, 0.3), settings=settings)

    assert (found.value, found.reason) == (0.0 if reason else 1.0, reason)


def test_nothing_retrieved_is_too_little_and_no_score_is_unscored() -> None:
    settings = {"threshold": -5.0}

    assert score("min_retrieval_score", asked(), scored(), settings=settings).reason == (
        "nothing was retrieved"
    )
    found = score("min_retrieval_score", asked(), scored(9.0, None), settings=settings)
    assert (found.state, found.reason) == (
        ScoreState.UNSCORED,
        "the retrieved chunks carry no scores",
    )


def test_without_a_threshold_a_policy_cannot_name_it() -> None:
    made: Any = make("min_retrieval_score")

    assert "min_retrieval_score has no threshold" in made.unusable
    assert not make("min_retrieval_score", settings={"threshold": 0}).unusable


@pytest.mark.parametrize(
    "settings", [{"threshold": "high"}, {"threshold": float("nan")}, {"of": "worst"}]
)
def test_a_wrong_value_is_an_error(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        make("min_retrieval_score", settings=settings)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Refunds take 30 days.", ""),
        ("**Unable to generate** a response.", 'the answer holds "unable to generate"'),
        ("Sorry! SOMETHING went wrong…", 'the answer holds "something went wrong"'),
        ("A disgenerate thing is unable to.", ""),
        ("I can't generate that.", 'the answer holds "can not generate"'),
        ("I don't know.", ""),
    ],
)
def test_a_phrase_of_whole_words_is_found_anywhere(answer: str, reason: str) -> None:
    found = score("no_fallback", asked(), answered(answer))

    assert (found.value, found.reason) == (0.0 if reason else 1.0, reason)


def test_own_phrases_replace_the_list_or_add_to_it() -> None:
    output = answered("Unable to generate. Ask the desk.")
    own = {"phrases": ["ask the desk"]}

    assert score("no_fallback", asked(), output, settings=own).reason.endswith('"ask the desk"')
    assert score("no_fallback", asked(), output, settings={"phrases": ["none"]}).value == 1.0
    more = {"more_phrases": ["desk"]}
    assert score("no_fallback", asked(), answered("The desk."), settings=more).value == 0.0


@pytest.mark.parametrize("phrases", [[], ["…"], "one"])
def test_a_list_without_words_is_an_error(phrases: object) -> None:
    with pytest.raises(ConfigError, match="phrases"):
        make("no_fallback", settings={"phrases": phrases})


@pytest.mark.parametrize(
    "query",
    [
        "List all regions.",
        "Name three causes!",
        "Give me 5 examples.",
        "What types of leave are there?",
        "Which steps come first?",
        "Welche Schritte sind nötig?",
        "Write a list of the fees.",
    ],
)
def test_such_a_question_asks_for_a_list(query: str) -> None:
    found = score("list_structure", asked(query=query), answered("One, two and three."))

    assert found.value == 0.0
    assert found.reason == "0 list items, and the question asks for a list"


@pytest.mark.parametrize("query", ["Where is the list of members?", "How long are refunds?"])
def test_any_other_question_is_left_out_unless_its_tag_says_so(query: str) -> None:
    sample = asked(query=query)

    assert score("list_structure", sample, answered("x")).state is ScoreState.NOT_APPLICABLE
    tagged = sample.amended(tags=("list",))
    assert score("list_structure", tagged, answered("- a\n- b")).value == 1.0


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("- a\n- b", 2),
        ("The steps:\n\n1. Pay.\n2) Ship.\n3: Wave.", 3),
        ("(a) one\n(b) two", 2),
        ("  * a\n  • b\n", 2),
        ("| name | fee |\n| --- | --- |\n| a | 1 |\n| b | 2 |", 2),
        ("First 1. pay, 2. ship and 3. wave.", 3),
        ("In 2024. Then 7. May.", 0),
        ("One, two and three.", 0),
        ("-5 degrees\n-7 degrees", 0),
        ("", 0),
    ],
)
def test_items_are_lines_rows_or_numbers_that_count_up(answer: str, items: int) -> None:
    assert items_of(answer) == items


def test_how_many_items_are_enough_is_a_key() -> None:
    output, settings = answered("- a\n- b"), {"items": 3}

    found = score("list_structure", asked(query="List all."), output, settings=settings)

    assert found.reason == "2 list items, and the question asks for a list"


def test_phrases_of_another_language_are_added() -> None:
    sample, settings = asked(query="Luettele maksut"), {"more_phrases": ["luettele"]}

    assert score("list_structure", sample, answered("x"), settings=settings).value == 0.0


def test_an_answer_that_was_cut_off_is_not_complete() -> None:
    found = score("complete_answer", asked(answerable=False), answered("It ends in the"))

    assert (found.value, found.reason) == (0.0, "it ends with 'the'")


def test_a_model_that_stopped_at_its_limit_did_not_complete_the_answer() -> None:
    output = answered("It ends.").amended(finish_reason="length")
    found = score("complete_answer", asked(), output)

    assert (found.value, found.reason) == (0.0, "the model stopped at its limit of tokens")
