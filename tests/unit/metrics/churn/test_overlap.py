"""overlap@k by sets, and what all metrics of churn leave out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import ConfigError
from ragate.models import ScoreState
from ragate.protocols import EarlierRankings
from tests.unit.metrics.churn.churn_pairs import EVERY, FAILED, OUT, churn, one, question
from tests.unit.metrics.metric_factories import aggregate, broken, make, retrieved

RANKINGS = st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True).map("".join)
SOME = RANKINGS.filter(bool)
BEST = {"overlap@10": 1.0, "rbo": 1.0, "first_hit_displacement": 0.0}


@pytest.mark.parametrize(
    ("k", "before", "now", "expected"),
    [
        (3, "abc", "cab", 1.0),
        (2, "abc", "cab", 1 / 3),
        (1, "abc", "cab", 0.0),
        (3, "abc", "abd", 1 / 2),
        (10, "abc", "a", 1 / 3),
        (3, "abc", "aabc", 1.0),
        (3, "abc", "", 0.0),
        (3, "", "abc", 0.0),
    ],
)
def test_the_first_k_documents_are_compared_as_sets(k, before, now, expected):
    assert one(f"overlap@{k}", before, now).value == pytest.approx(expected)


@given(before=SOME, now=SOME, k=st.integers(1, 9))
def test_it_is_the_index_of_jaccard_and_the_same_from_both_sides(before: str, now: str, k: int):
    both = [doc for doc in before[:k] if doc in now[:k]]
    either = {*before[:k], *now[:k]}

    assert one(f"overlap@{k}", before, now).value == pytest.approx(len(both) / len(either))
    assert one(f"overlap@{k}", now, before) == one(f"overlap@{k}", before, now)


@pytest.mark.parametrize("name", EVERY)
@given(ranking=SOME)
def test_the_same_ranking_has_the_best_value(name: str, ranking: str):
    assert one(name, ranking, ranking).value == pytest.approx(BEST[name])


@pytest.mark.parametrize(("name", "worst"), [("overlap@10", 0.0), ("rbo", 0.0)])
@given(before=SOME, now=RANKINGS)
def test_other_documents_alone_have_nothing_in_common(name, worst, before, now):
    assert one(name, before, now.upper()).value == worst


@pytest.mark.parametrize("name", EVERY)
def test_without_a_baseline_nothing_is_measured(name: str):
    score = aggregate(name, [(question("q"), retrieved("a"))])

    assert score.state is ScoreState.UNSCORED
    assert score.reason == "there is no baseline to compare rankings with"


@pytest.mark.parametrize("name", EVERY)
def test_a_baseline_that_is_recorded_is_beside_itself(name: str):
    itself = EarlierRankings(itself=True)
    pairs = [(question("q"), retrieved("a", "b")), (question("r"), OUT), (question("s"), FAILED)]

    assert aggregate(name, pairs, earlier=itself).value == BEST[name]
    assert aggregate(name, pairs[1:], earlier=itself).state is ScoreState.NOT_APPLICABLE


@pytest.mark.parametrize("name", EVERY)
def test_a_new_sample_is_left_out_and_counted(name: str):
    score = churn(name, {"q": "ab"}, {"q": "ab", "new": "x"})

    assert (score.value, score.reason) == (BEST[name], "1 of 2 samples left out")
    assert churn(name, {"q": "ab"}, {"new": "x"}).state is ScoreState.NOT_APPLICABLE


@pytest.mark.parametrize("name", EVERY)
def test_nothing_on_either_side_is_no_agreement(name: str):
    assert one(name, "", "").state is ScoreState.NOT_APPLICABLE
    assert one(name, "", FAILED).state is ScoreState.NOT_APPLICABLE


@pytest.mark.parametrize("name", EVERY)
def test_one_sample_that_a_provider_kept_back_leaves_no_value(name: str):
    score = churn(name, {"q": "ab", "r": "ab"}, {"q": "ab", "r": OUT})

    assert score.state is ScoreState.UNSCORED
    assert score.reason == "1 of 2 were not retrieved: provider: it broke"


@pytest.mark.parametrize(
    ("name", "expected"), [("overlap@10", 0.0), ("rbo", 0.0), ("first_hit_displacement", 2.0)]
)
def test_a_system_that_failed_lost_the_whole_ranking(name: str, expected: float):
    assert one(name, "ab", broken("system", "a", "b")).value == expected


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_answer_has_a_ranking_all_the_same(name: str):
    assert one(name, "ab", retrieved("a", "b").amended(answer="")).value == BEST[name]


def test_the_value_is_the_mean_over_samples():
    before = {"q": "ab", "r": "ab", "s": "ab"}

    assert churn("overlap@2", before, {"q": "ab", "r": "xy", "s": "by"}).value == pytest.approx(
        (1 + 0 + 1 / 3) / 3
    )


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("overlap", "needs a cut-off"),
        ("overlap@0", "at least 1"),
        ("rbo@10", "takes no cut-off"),
        ("first_hit_displacement@5", "takes no cut-off"),
    ],
)
def test_a_cut_off_is_demanded_or_refused(name: str, complaint: str):
    with pytest.raises(ConfigError, match=complaint):
        make(name)


@pytest.mark.parametrize("name", EVERY)
def test_an_unknown_key_is_refused(name: str):
    with pytest.raises(ConfigError, match="depth"):
        make(name, settings={"depth": 3})
