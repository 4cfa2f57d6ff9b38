"""From which grade a document is relevant is a key of each retrieval metric."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import ConfigError
from ragate.models import ScoreState
from tests.unit.metrics.metric_factories import RETRIEVAL, judged, make, retrieved, score
from tests.unit.metrics.test_oracles import (
    GRADES,
    IDS,
    ORACLE,
    assert_agreement,
    oracle_scores,
    our_scores,
)
from tests.unit.metrics.trec import pairs_of

# As they stand in baselines that were recorded before the key came.
FINGERPRINTS = {
    "first_stage_ndcg@10": "aa0f9f39e3222363",
    "first_stage_recall@10": "fe7d3ea596f426db",
    "hit_rate@10": "0e7d1fcfc11b56f2",
    "judged@10": "8186fe1c89745eb6",
    "map": "f42857cd7b57da3b",
    "map@10": "e3e28b0f621feed5",
    "mrr": "5842904090c287ad",
    "mrr@10": "d32d5694803bcad9",
    "ndcg@10": "0afb60bd599a20bc",
    "precision@10": "c735c96cd821c858",
    "r_precision": "efd35eae85cba384",
    "recall@10": "dcd04ee440cc18c3",
}


def test_a_baseline_of_before_stays_comparable() -> None:
    for name in FINGERPRINTS:
        assert make(name).info.fingerprint == FINGERPRINTS[name], name
        assert make(name, settings={"relevant_from": 1}).info.fingerprint == FINGERPRINTS[name], (
            name
        )


def test_every_retrieval_metric_of_before_is_pinned() -> None:
    assert set(RETRIEVAL) - {"all_found@10"} == set(FINGERPRINTS)


def test_another_lowest_grade_is_another_metric() -> None:
    for name in RETRIEVAL:
        prints = {make(name, settings={"relevant_from": n}).info.fingerprint for n in (1, 2, 3)}

        assert len(prints) == 3, name


def test_a_sample_without_a_document_of_the_grade_is_not_applicable() -> None:
    for name in RETRIEVAL:
        result = score(name, judged(a=1), retrieved("a"), settings={"relevant_from": 2})

        assert result.state is ScoreState.NOT_APPLICABLE, name
        assert result.reason == "no relevant documents", name


def test_a_lowest_grade_that_is_none_is_an_error_that_names_it() -> None:
    for name in RETRIEVAL:
        for lowest in [0, -1, 1001, 1.5, "two", None]:
            with pytest.raises(ConfigError, match="relevant_from"):
                make(name, settings={"relevant_from": lowest})


@given(
    grades=GRADES,
    ranking=st.lists(st.sampled_from(IDS), unique=True, min_size=1),
    lowest=st.integers(2, 4),
)
def test_rankings_score_as_in_ir_measures_with_its_own_threshold(
    grades: dict[str, int], ranking: list[str], lowest: int
) -> None:
    judgements, rankings = {"q": grades}, {"q": ranking}
    pairs = pairs_of(judgements, rankings)
    for ours, theirs in ORACLE.items():
        if theirs.partition("@")[0] in {"nDCG", "Judged"}:
            continue  # theirs know no threshold
        values = our_scores(pairs, ours, settings={"relevant_from": lowest})
        name, _, cut = theirs.partition("@")
        oracle_name = f"{name}(rel={lowest})" + (f"@{cut}" if cut else "")
        if values:
            assert_agreement(
                values, oracle_scores(judgements, rankings, [oracle_name])[oracle_name]
            )


@given(grades=GRADES, ranking=st.lists(st.sampled_from(IDS), unique=True, min_size=1))
def test_gain_below_the_grade_is_that_of_a_document_judged_not_relevant(
    grades: dict[str, int], ranking: list[str]
) -> None:
    from_two = {doc_id: grade if grade >= 2 else 0 for doc_id, grade in grades.items()}
    pairs = pairs_of({"q": grades}, {"q": ranking})
    values = our_scores(pairs, "ndcg@5", settings={"relevant_from": 2})

    if values:
        oracle = oracle_scores({"q": from_two}, {"q": ranking}, ["nDCG@5"])
        assert_agreement(values, oracle["nDCG@5"])
