"""One call for all criteria, none where nothing is left to judge; failures stay failures."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragate.core.judging.criteria import CRITERIA
from ragate.errors import BudgetError, ConfigError, ProviderError
from ragate.models import Failure, ScoreState, SystemOutput
from tests.unit.judges.judge_factories import (
    ALL,
    TWO,
    Chat,
    answered,
    asked,
    claim,
    judge_all,
    make_judge,
    reference_claim,
    reply,
    values,
    verdict,
)

GOOD = reply()


def test_all_criteria_cost_one_call() -> None:
    chat = Chat([GOOD])

    scores = judge_all(chat, asked(), TWO)

    assert len(chat.requests) == 1
    best = {name: 0.0 if known.lower_is_better else 1.0 for name, known in CRITERIA.items()}
    assert values(scores) == best | {"correctness": 5.0}


def test_only_what_is_asked_is_in_the_schema_and_in_order() -> None:
    chat = Chat([reply(**dict.fromkeys(set(verdict()) - {"difference", "correctness"}))])

    scores = judge_all(chat, asked(), TWO, ["correctness"])

    schema = chat.requests[0].parameters["response_format"]["json_schema"]
    assert schema["schema"]["required"] == ["difference", "correctness"]
    assert schema["strict"] is True
    assert values(scores) == {"correctness": 5.0}


def test_the_verdict_on_correctness_comes_last() -> None:
    chat = Chat([GOOD])
    judge_all(chat, asked(), TWO)

    required = chat.requests[0].parameters["response_format"]["json_schema"]["schema"]["required"]

    assert required[-2:] == ["correctness", "correct"]


def test_faithfulness_is_over_all_claims() -> None:
    claims = [claim(1, 1, "supported", 1), claim(2, 1, "contradicted", 1), claim(3, 2, "absent")]

    scores = judge_all(Chat([reply(claims=claims)]), asked(), TWO)

    assert scores["faithfulness"].value == pytest.approx(1 / 3)
    assert scores["faithfulness"].reason == "1 of 3 claims supported; contradicted: claim 2"
    assert scores["faithfulness_binary"].value == 1.0


def test_a_sentence_that_cites_cannot_be_declared_free_of_claims() -> None:
    text = reply(claims=[claim(1, 1, "supported", 1)], claim_free=[2])

    assert judge_all(Chat([text]), asked(), TWO)["faithfulness"].value == 0.5


def test_an_answer_that_claims_nothing_is_not_faithful() -> None:
    output = answered("I do not know. Sorry.", "Kept 30 days.")
    text = reply(
        claims=[], claim_free=[1, 2], contexts=[{"context": 1, "relevant": True}], citations=None
    )

    scores = judge_all(Chat([text]), asked(), output)

    assert scores["faithfulness"].value == 0.0
    assert scores["faithfulness"].reason == "the answer claims nothing"


@pytest.mark.parametrize(
    ("answerable", "refusal", "value"),
    [(True, False, 1.0), (True, True, 0.0), (False, True, 1.0), (False, False, 0.0)],
)
def test_a_refusal_is_right_where_there_is_no_answer(
    answerable: bool, refusal: bool, value: float
) -> None:
    text = reply(**dict.fromkeys(verdict()) | {"refusal": refusal})
    sample = asked(answerable=answerable)

    scores = judge_all(Chat([text]), sample, TWO, ["judged_refusal"])

    assert values(scores) == {"judged_refusal": value}


def test_an_unanswerable_question_is_asked_for_a_refusal_only() -> None:
    chat = Chat([reply(**dict.fromkeys(verdict()) | {"refusal": True})])

    scores = judge_all(chat, asked(answerable=False), TWO)

    states = {name: score.state for name, score in scores.items()}
    assert states.pop("judged_refusal") is ScoreState.VALUE
    assert set(states.values()) == {ScoreState.NOT_APPLICABLE}


def test_citations_that_lead_nowhere_count_against_precision() -> None:
    output = answered("Kept 30 days. [1][7] In Oslo. [9]", "Kept 30 days.", "x")
    text = reply(citations=[{"sentence": 1, "supporting": [1], "supported": True}])

    scores = judge_all(Chat([text]), asked(), output)

    assert scores["citation_precision"].value == pytest.approx(1 / 3)
    assert scores["citation_recall"].value == 0.5


def test_a_sentence_that_cites_one_context_twice_cites_it_once() -> None:
    output = answered("Kept 30 days. [1][1] In Oslo. [2]", "Kept 30 days.", "x")
    citations = [
        {"sentence": 1, "supporting": [1], "supported": True},
        {"sentence": 2, "supporting": [], "supported": False},
    ]

    scores = judge_all(Chat([reply(citations=citations)]), asked(), output)

    assert scores["citation_precision"].value == 0.5


def test_a_sentence_of_markers_alone_is_not_one_that_needs_support() -> None:
    output = answered("Kept 30 days. [1]\n\n[2]", "Kept 30 days.", "x")

    scores = judge_all(Chat([GOOD]), asked(), output)

    assert scores["citation_recall"].value == 1.0


NO_CALL: dict[str, tuple[SystemOutput, float | None]] = {
    "an empty answer": (answered("  \n", "c"), 0.0),
    "a failed system": (SystemOutput(error=Failure(kind="system", message="x")), 0.0),
    "a provider's failure": (SystemOutput(error=Failure(kind="provider", message="x")), None),
    "no answer asked for": (SystemOutput(chunks=TWO.chunks), None),
}


@pytest.mark.parametrize(("output", "value"), NO_CALL.values(), ids=NO_CALL.keys())
def test_what_is_decided_already_costs_no_call(output: SystemOutput, value: float | None) -> None:
    chat = Chat([])

    found = values(judge_all(chat, asked(), output))

    assert found.pop("correctness") == (None if value is None else 1.0)
    assert found == {
        name: None if value is None else CRITERIA[name].worst for name in ALL if name in found
    }
    assert chat.requests == []


def test_without_contexts_an_answer_rests_on_nothing() -> None:
    changes: dict[str, Any] = {
        "contexts": None,
        "citations": None,
        "reference_claims": [reference_claim(1, 1)],
    }
    chat = Chat([reply(claims=[claim(1, 1, "absent")], **changes)])

    scores = judge_all(chat, asked(), answered("It is 30 days. [1]"))

    assert scores["faithfulness"].value == scores["citation_recall"].value == 0.0
    assert scores["judged_context_relevance"].value == 0.0
    assert scores["relevancy"].value == 1.0
    assert values(judge_all(Chat([]), asked(), answered("x"), ["faithfulness"])) == {
        "faithfulness": 0.0
    }


def test_chunks_without_texts_leave_the_grounded_criteria_unscored() -> None:
    scores = judge_all(Chat([]), asked(), answered("It is so. [1]", "", " "), ["faithfulness"])

    assert scores["faithfulness"].reason == "the retrieved chunks carry no text"


@pytest.mark.parametrize("reported", [None, (1,)])
def test_an_answer_whose_text_cites_nothing_supports_no_sentence(
    reported: tuple[int, ...] | None,
) -> None:
    output = answered("It is so.", "c").amended(citations=reported)

    scores = judge_all(Chat([]), asked(), output, ["citation_recall", "citation_precision"])

    assert values(scores) == {"citation_recall": 0.0, "citation_precision": 1.0}


@pytest.mark.parametrize("marker", ["[9]", "[0]"])
def test_an_answer_whose_citations_lead_nowhere_is_not_supported(marker: str) -> None:
    output = answered(f"It is so. {marker}", "c").amended(citations=(0,))

    scores = judge_all(Chat([]), asked(), output, ["citation_recall", "citation_precision"])

    assert values(scores) == {"citation_recall": 0.0, "citation_precision": 0.0}


def test_an_unknown_criterion_is_unscored() -> None:
    scores = judge_all(Chat([]), asked(), TWO, ["charm"])

    assert scores["charm"].state is ScoreState.UNSCORED


def test_a_failed_call_is_unscored_with_its_reason() -> None:
    scores = judge_all(Chat([ProviderError("h: HTTP 500 (after 4 tries)")]), asked(), TWO)

    assert {score.reason for score in scores.values()} == {"judge: h: HTTP 500 (after 4 tries)"}
    assert {score.state for score in scores.values()} == {ScoreState.UNSCORED}


def test_a_failure_while_mending_is_unscored() -> None:
    scores = judge_all(Chat(["YES", ProviderError("h: timeout")]), asked(), TWO)

    assert scores["relevancy"].reason == "judge: h: timeout"


@pytest.mark.parametrize(
    "error",
    [
        ProviderError("h: HTTP 401", fatal=True, status=401),
        ProviderError("h: no such model", fatal=True, status=400),
        BudgetError("max_calls"),
    ],
)
def test_what_every_further_call_would_meet_is_raised_at_once(error: Exception) -> None:
    chat = Chat([error])

    with pytest.raises(type(error)):
        judge_all(chat, asked(), TWO)
    assert len(chat.requests) == 1


def refusal(status: int = 400) -> ProviderError:
    return ProviderError(f"h: HTTP {status}: response_format", status=status)


def formats(chat: Chat) -> list[str]:
    return [
        request.parameters.get("response_format", {}).get("type", "text")
        for request in chat.requests
    ]


def twice(chat: Chat) -> tuple[dict[str, Any], dict[str, Any]]:
    async def run() -> tuple[dict[str, Any], dict[str, Any]]:
        judge = await make_judge(chat)
        return await judge(ALL, asked(), TWO), await judge(ALL, asked(), TWO)

    return asyncio.run(run())


def test_a_server_without_schemas_is_asked_in_the_next_way_and_that_is_kept() -> None:
    chat = Chat([refusal(), refusal(422), GOOD, GOOD])

    first, second = twice(chat)

    assert formats(chat) == ["json_schema", "json_object", "text", "text"]
    assert first == second
    assert first["relevancy"].value == 1.0
    assert "JSON schema of the object" in chat.requests[2].messages[1][1]
    assert "JSON schema of the object" not in chat.requests[0].messages[1][1]


def test_once_a_format_was_taken_a_refusal_is_about_something_else() -> None:
    chat = Chat([GOOD, refusal()])

    first, second = twice(chat)

    assert formats(chat) == ["json_schema", "json_schema"]
    assert first["relevancy"].value == 1.0
    assert second["relevancy"].state is ScoreState.UNSCORED


def test_a_server_that_refuses_every_format_is_reported_with_its_first_words() -> None:
    chat = Chat([refusal(400), refusal(415), refusal(501)])

    scores = judge_all(chat, asked(), TWO)

    assert scores["relevancy"].reason == "judge: h: HTTP 400: response_format"
    assert len(chat.requests) == 3


PARAMETERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"temperature": 0.0}),
    ({"seed": 7}, {"temperature": 0.0, "seed": 7}),
    ({"temperature": 0.3, "max_tokens": 900}, {"temperature": 0.3, "max_tokens": 900}),
    ({"effort": "minimal", "seed": 7}, {"reasoning_effort": "minimal"}),
    ({"reasoning": True, "max_tokens": 900}, {"max_completion_tokens": 900}),
    ({"parameters": {"temperature": 0.5, "top_p": 1}}, {"temperature": 0.5, "top_p": 1}),
]


@pytest.mark.parametrize(("given", "sent"), PARAMETERS)
def test_parameters_fit_the_kind_of_model(given: dict[str, Any], sent: dict[str, Any]) -> None:
    chat = Chat([GOOD])

    judge_all(chat, asked(), TWO, format="text", **given)

    assert chat.requests[0].parameters == sent
    assert chat.requests[0].model == "m"


def fingerprint(root: Path = Path(), **settings: Any) -> str:
    return asyncio.run(make_judge(Chat([]), root, **settings)).fingerprint


def test_the_fingerprint_covers_all_that_can_change_a_verdict(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("Judge {{ mark }} by {{ keys }}.")
    prints = [
        fingerprint(),
        fingerprint(model="n"),
        fingerprint(temperature=0.1),
        fingerprint(seed=1),
        fingerprint(effort="low"),
        fingerprint(format="json"),
        fingerprint(parameters={"top_p": 0.9}),
        fingerprint(tmp_path, prompt="own.md"),
    ]

    assert len(set(prints)) == len(prints)
    assert fingerprint() == prints[0]


def test_a_moved_prompt_file_is_the_same_prompt(tmp_path: Path) -> None:
    for name in ("one.md", "two.md"):
        (tmp_path / name).write_text("Judge {{ mark }}.")

    assert fingerprint(tmp_path, prompt="one.md") == fingerprint(tmp_path, prompt="two.md")


def test_a_huge_answer_is_not_judged_in_part() -> None:
    scores = judge_all(Chat([]), asked(), answered("x. " * 10_000, "c"), ["relevancy"])

    assert scores["relevancy"].reason == "the answer has 30000 characters, 20000 are judged"


def test_contexts_over_the_cap_are_cut_evenly_and_that_is_said() -> None:
    chat = Chat([GOOD])
    output = answered(TWO.answer or "", "a" * 100, "b" * 70_000)

    scores = judge_all(chat, asked(), output)

    sent = chat.requests[0].messages[1][1]
    assert (sent.count("a" * 100), sent.count("b" * 59_900), sent.count("b" * 59_901)) == (1, 1, 0)
    assert "contexts cut to 59900 characters each (70100 in all, 60000 are read)" in (
        scores["faithfulness"].reason
    )


def test_a_missing_model_is_found_before_anything_is_asked() -> None:
    with pytest.raises(ConfigError, match="model = ''"):
        asyncio.run(make_judge(Chat([]), model=""))
