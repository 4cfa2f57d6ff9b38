"""Four ways to fail, with verdicts as a careful reader gives them: which metric sees which."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragate.models import Sample, SystemOutput
from tests.unit.judges.judge_factories import Chat, answered, claim, judge_all, values

CRITERIA = ("faithfulness", "faithfulness_binary", "relevancy", "correctness")


def scores(
    query: str, output: SystemOutput, claims: list[dict[str, Any]], **verdict: Any
) -> dict[str, float | None]:
    reference = verdict.pop("reference", "")
    sample = Sample(id="q", query=query, references=(reference,) if reference else ())
    found: dict[str, Any] = {"claims": claims, "claim_free": [], "relevant": True}
    if reference:
        found["difference"] = "one thing"
    return values(judge_all(Chat([json.dumps(found | verdict)]), sample, output, CRITERIA))


STIP = (
    "Author: Arbitrum Foundation. Tally on-chain vote, status: executed.",
    "Snapshot temperature check, status: closed.",
    "The STIP program allocated 50 million ARB tokens.",
)


def test_an_answer_that_several_contexts_support_together_is_faithful() -> None:
    answer = "The Arbitrum Foundation wrote it. It passed both votes. It allocated 50 million ARB."
    claims = [claim(1, 1, "supported", 1), claim(2, 2, "supported", 1, 2)]
    claims.append(claim(3, 3, "supported", 3))

    found = scores(
        "What is the status of STIP?",
        answered(answer, *STIP),
        claims,
        reference="The Arbitrum Foundation proposed it and it was executed.",
        correctness=4.5,
    )

    assert found == {
        "faithfulness": 1.0,
        "faithfulness_binary": 1.0,
        "relevancy": 1.0,
        "correctness": 4.5,
    }


def test_made_up_details_are_unfaithful_and_still_relevant() -> None:
    output = answered(
        "The deadline is March 30, 2024, and it needs a 60% supermajority.",
        "Treasury Management. Voting End: 2024-03-15",
    )
    claims = [claim(1, 1, "contradicted", 1), claim(2, 1, "absent")]

    found = scores("What is the voting deadline for Treasury Management?", output, claims)

    assert (found["faithfulness"], found["faithfulness_binary"]) == (0.0, 0.0)
    assert found["relevancy"] == 1.0
    assert found["correctness"] is None


def test_a_true_answer_to_another_question_is_faithful_and_not_relevant() -> None:
    output = answered(
        "Treasury Management was created by the Arbitrum Foundation.",
        "Security Council Elections.",
        "Treasury Management, by the Arbitrum Foundation.",
    )

    found = scores(
        "Who proposed the Security Council Elections?",
        output,
        [claim(1, 1, "supported", 2)],
        relevant=False,
    )

    assert (found["faithfulness"], found["relevancy"]) == (1.0, 0.0)


def test_one_wrong_detail_lowers_faithfulness_and_not_its_binary_form() -> None:
    output = answered("It was executed with 100 million ARB.", *STIP)
    claims = [claim(1, 1, "supported", 1), claim(2, 1, "contradicted", 3)]

    found = scores("What is the status of STIP?", output, claims)

    assert (found["faithfulness"], found["faithfulness_binary"]) == (0.5, 1.0)


@pytest.mark.parametrize(
    ("answer", "grade"),
    [
        ("Snapshot is used for voting.", 2.5),
        ("It has been executed.", 3.0),
        ("I have no information.", 1.0),
    ],
)
def test_the_grade_is_the_judges_in_halves(answer: str, grade: float) -> None:
    found = scores(
        "How does Snapshot voting work?",
        answered(answer, *STIP),
        [claim(1, 1, "absent")],
        reference="An off-chain check without gas fees, before the on-chain vote.",
        correctness=grade,
    )

    assert found["correctness"] == grade
