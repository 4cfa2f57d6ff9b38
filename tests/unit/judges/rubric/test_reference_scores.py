"""Claims beside the references: by hand, in sum, and with claims left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.hashing import digest
from ragate.judges.rubric._schema import CLAIMS, INTRODUCTION, RIGHT
from ragate.models import ScoreState
from tests.unit.judges.judge_factories import (
    TWO,
    Chat,
    answered,
    asked,
    claim,
    judge_all,
    reference_claim,
    reply,
    values,
    verdict,
)

OF_ANSWER = ("claim_precision", "hallucination", "self_knowledge", "noise_sensitivity")
CRITERIA = ("faithfulness", *OF_ANSWER, "claim_recall", "claim_f1", "context_utilisation")
KEYS = {"claims", "claim_free", "right", "reference_claims", "reference_claim_free"}
NOT_ASKED: dict[str, Any] = dict.fromkeys(verdict().keys() - KEYS)


def right(*stated: bool) -> list[dict[str, Any]]:
    return [{"claim": number, "stated": one} for number, one in enumerate(stated, start=1)]


def judged(*criteria: str, reference: str = "30 days.", **changes: Any) -> dict[str, Any]:
    """Return the scores of `TWO` by a reply with these keys."""
    text = reply(**NOT_ASKED | changes)
    return judge_all(Chat([text, text]), asked(reference=reference), TWO, criteria or CRITERIA)


def test_each_claim_counts_by_where_it_stands() -> None:
    claims = [
        claim(1, 1, "supported", 1),
        claim(2, 1, "supported", 1),
        claim(3, 1, "absent"),
        claim(4, 2, "contradicted", 2),
    ]
    scores = judged(claims=claims, right=right(True, False, True, False))

    assert {name: scores[name].value for name in OF_ANSWER} == {
        "claim_precision": 2 / 4,
        "hallucination": 1 / 4,
        "self_knowledge": 1 / 4,
        "noise_sensitivity": 1 / 4,
    }
    assert scores["hallucination"].reason == "1 of 4 claims made up: claim 4"
    assert scores["claim_precision"].reason == "2 of 4 claims right"


CLAIM = st.tuples(st.sampled_from(["supported", "contradicted", "absent"]), st.booleans())


@given(drawn=st.lists(CLAIM, min_size=1, max_size=5), free=st.booleans())
def test_shares_add_up(drawn: list[tuple[str, bool]], free: bool) -> None:
    claims = [
        claim(n, 1, word, *[1][: word == "supported"]) for n, (word, _) in enumerate(drawn, start=1)
    ]
    if not free:
        drawn = [*drawn, ("absent", False)]
        claims.append(claim(len(drawn), 2, "absent"))
    scores = judged(
        claims=claims, claim_free=[2][:free], right=right(*[stated for _, stated in drawn])
    )
    share = {name: scores[name].value for name in CRITERIA}

    assert share["hallucination"] + share["self_knowledge"] == pytest.approx(
        1 - share["faithfulness"]
    )
    assert share["noise_sensitivity"] <= share["faithfulness"] + 1e-9
    assert share["claim_precision"] + share["hallucination"] + share[
        "noise_sensitivity"
    ] == pytest.approx(1)


def test_a_citing_sentence_that_claims_nothing_is_made_up() -> None:
    scores = judged(claims=[claim(1, 1, "supported", 1)], claim_free=[2])

    assert scores["hallucination"].value == 1 / 2
    assert scores["claim_precision"].value == 1 / 2
    assert scores["self_knowledge"].value == 0.0


def test_an_answer_that_claims_nothing_has_the_worst_of_all() -> None:
    output = answered("I do not know.", "Kept 30 days.")
    missing = reference_claim(1, 1, 1, in_answer=False)
    text = reply(**NOT_ASKED | {"claims": [], "claim_free": [1], "reference_claims": [missing]})

    found = values(judge_all(Chat([text]), asked(), output, CRITERIA))

    assert found == {
        name: float(name in {"hallucination", "self_knowledge", "noise_sensitivity"})
        for name in CRITERIA
    }


TWO_REFERENCES = [
    reference_claim(1, 1, 1),
    reference_claim(2, 1, 1, in_answer=False),
    reference_claim(3, 2),
    reference_claim(4, 2, 2, in_answer=False),
]


def of_two(*claims: dict[str, Any], free: tuple[int, ...] = ()) -> dict[str, Any]:
    sample = asked(reference="").amended(references=("Kept 30 days, daily.", "In Oslo."))
    changes = {"reference_claims": list(claims), "reference_claim_free": list(free)}
    text = reply(**NOT_ASKED | {"claims": None, "claim_free": None, "right": None} | changes)
    return judge_all(Chat([text, text]), sample, TWO, ["claim_recall", "context_utilisation"])


def test_the_best_of_several_references_counts() -> None:
    scores = of_two(*TWO_REFERENCES[:2], *TWO_REFERENCES[2:])
    other = of_two(*TWO_REFERENCES[:3])

    assert scores["claim_recall"].value == 1 / 2
    assert scores["context_utilisation"].value == 1 / 2
    assert other["claim_recall"].value == 1.0
    assert other["claim_recall"].reason == "1 of 1 claims of a reference in the answer"


def test_utilisation_is_over_what_the_contexts_hold() -> None:
    claims = [
        reference_claim(1, 1, 1),
        reference_claim(2, 1, 1, in_answer=False),
        reference_claim(3, 1, in_answer=False),
    ]
    scores = judged(
        "claim_recall",
        "context_utilisation",
        claims=None,
        claim_free=None,
        right=None,
        reference_claims=claims,
    )

    assert scores["claim_recall"].value == 1 / 3
    assert scores["context_utilisation"].value == 1 / 2


def test_contexts_that_hold_nothing_of_a_reference_cannot_be_used() -> None:
    scores = of_two(reference_claim(1, 1), reference_claim(2, 2))

    assert scores["context_utilisation"].value == 0.0
    assert "no claim of a reference" in scores["context_utilisation"].reason
    assert scores["claim_recall"].value == 1.0


def test_a_reference_that_claims_nothing_is_named() -> None:
    scores = of_two(free=(1, 2))

    assert values(scores) == {"claim_recall": 0.0, "context_utilisation": 0.0}
    assert {score.reason for score in scores.values()} == {"the references claim nothing"}


def test_f1_is_the_harmonic_mean_of_both() -> None:
    claims = [claim(1, 1, "supported", 1), claim(2, 2, "absent")]
    missing = [reference_claim(1, 1, 1), reference_claim(2, 1, in_answer=False)]
    missing += [reference_claim(n, 1, in_answer=False) for n in (3, 4)]
    scores = judged(claims=claims, right=right(True, False), reference_claims=missing)

    assert scores["claim_precision"].value == 1 / 2
    assert scores["claim_recall"].value == 1 / 4
    assert scores["claim_f1"].value == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert scores["claim_f1"].reason == "precision 0.50, recall 0.25"


@pytest.mark.parametrize(
    "changes",
    [
        {"right": right(True)},
        {"right": right(True, True, True)},
        {"right": [{"claim": 2, "stated": True}, {"claim": 1, "stated": True}]},
        {"right": [{"claim": n, "stated": 1} for n in (1, 2)]},
        {"right": None},
        {"reference_claims": []},
        {"reference_claims": [reference_claim(1, 2)]},
        {"reference_claims": [reference_claim(2, 1)]},
        {"reference_claims": [reference_claim(1, 1, 3)]},
        {"reference_claims": [reference_claim(1, 1, 1, 1)]},
        {"reference_claim_free": [1]},
        {"reference_claim_free": [2]},
        {"reference_claims": [reference_claim(1, 1) | {"in_answer": "yes"}]},
        {"reference_claims": [reference_claim(1, 1) | {"because": "x"}]},
    ],
    ids=str,
)
def test_a_reply_that_leaves_something_out_counts_for_nothing(changes: dict[str, Any]) -> None:
    scores = judged(**changes)

    assert {score.state for score in scores.values()} == {ScoreState.UNSCORED}


def test_a_sentence_of_a_reference_cannot_be_left_out() -> None:
    scores = judged(
        "claim_recall", claims=None, claim_free=None, right=None, reference="30 days. In Oslo."
    )

    assert scores["claim_recall"].state is ScoreState.UNSCORED


def test_without_retrieval_what_rests_on_contexts_is_worst_and_costs_no_call() -> None:
    grounded = ("hallucination", "self_knowledge", "noise_sensitivity", "context_utilisation")

    found = values(judge_all(Chat([]), asked(), answered("x"), grounded))

    assert found == dict.fromkeys(grounded[:3], 1.0) | {"context_utilisation": 0.0}


def test_without_a_reference_none_applies() -> None:
    criteria = ["correctness", "correctness_binary", *CRITERIA[1:]]

    scores = judge_all(Chat([]), asked(reference=""), TWO, criteria)

    assert {score.state for score in scores.values()} == {ScoreState.NOT_APPLICABLE}


def test_the_words_of_the_question_change_only_with_the_version_of_the_prompt() -> None:
    assert digest([2, INTRODUCTION, RIGHT, CLAIMS]) == "e68a4c8d39285e3f"
