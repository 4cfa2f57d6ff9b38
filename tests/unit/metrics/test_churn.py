"""Rankings beside the baseline's."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.hashing import content_hash
from ragate.errors import ConfigError
from ragate.metrics.churn import extrapolated_rbo
from ragate.models import Direction, Sample, Score, ScoreState, SystemOutput
from ragate.protocols import EarlierRankings
from tests.unit.metrics.metric_factories import aggregate, broken, make, retrieved

FAILED, OUT = broken("system", "a"), broken("provider", "a")

EVERY = ("overlap@10", "rbo", "first_hit_displacement")


def question(name: str) -> Sample:
    return Sample(id=name, query=name)


def churn(name: str, before: Mapping[str, str], now: Mapping[str, SystemOutput | str]) -> Score:
    """Return the score of outputs by question, or of rankings, each letter a document."""
    docs = {content_hash(question(asked)): tuple(ids) for asked, ids in before.items()}
    pairs = [
        (question(asked), retrieved(*given) if isinstance(given, str) else given)
        for asked, given in now.items()
    ]
    return aggregate(name, pairs, earlier=EarlierRankings(docs))


def one(name: str, before: str, now: SystemOutput | str) -> Score:
    return churn(name, {"q": before}, {"q": now})


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


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("abc", "acb", 0.0),
        ("abc", "bca", 2.0),
        ("abc", "bbca", 2.0),
        ("abc", "xyz", 3.0),
        ("abc", "x", 3.0),
        ("a", "vwxyz", 5.0),
        ("abc", "", 3.0),
    ],
)
def test_the_first_document_of_the_baseline_is_looked_for(before, now, expected):
    assert one("first_hit_displacement", before, now).value == expected


def test_a_sample_on_which_the_baseline_found_nothing_is_left_out():
    score = churn("first_hit_displacement", {"q": "", "r": "ab"}, {"q": "a", "r": "ba"})

    assert (score.value, score.reason) == (1.0, "1 of 2 samples left out")


def test_it_is_counted_in_ranks_and_lower_is_better():
    info = make("first_hit_displacement").info

    assert (info.unit, info.direction, info.low, info.high) == ("ranks", Direction.LOWER, 0, None)


RBO_RANKINGS = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=10, unique=True)

FAR = 3000  # depths; what is below weighs less than 0.98 ** 3000


def summed(one: list[str], other: list[str], p: float) -> float:
    """Return the sum over depths, each ranking going on as it did where it ends."""
    short, long = sorted((one, other), key=len)
    total, agreement = 0.0, 0.0
    for depth in range(1, FAR + 1):
        if depth <= len(long):
            common = len({*short[:depth]} & {*long[:depth]})
            share = len({*short} & {*long[: len(short)]}) / len(short)
            agreement = (common + share * max(0, depth - len(short))) / depth
        total += p ** (depth - 1) * agreement
    return (1 - p) * total


@given(one=RBO_RANKINGS, other=RBO_RANKINGS, p=st.floats(0.05, 0.98))
def test_it_is_the_sum_to_any_depth(one: list[str], other: list[str], p: float):
    value = extrapolated_rbo(one, other, p)

    assert value == pytest.approx(summed(one, other, p), abs=1e-9)
    assert 0 <= value <= 1


@given(one=RBO_RANKINGS, other=RBO_RANKINGS, p=st.floats(0.001, 0.999))
def test_it_is_the_same_from_both_sides(one: list[str], other: list[str], p: float):
    assert extrapolated_rbo(one, other, p) == pytest.approx(extrapolated_rbo(other, one, p))


def test_the_rankings_of_the_papers_table():
    """Agreement at the depths 1 to 7: 0, 0, 2/3, 2/4, 2/5, 2/6, 2/7; the last one goes on."""
    first, second, p = [*"abcdefg"], [*"zcavwxy"], 0.9
    to_seven = sum(p ** (d - 1) * 2 / d for d in range(3, 8)) * (1 - p)

    assert to_seven == pytest.approx(0.1516, abs=5e-5)
    assert extrapolated_rbo(first, second, p) == pytest.approx(to_seven + 2 / 7 * p**7)


def test_a_swap_at_the_top_weighs_more_than_one_below():
    top, below = one("rbo", "abcdef", "bacdef").value, one("rbo", "abcdef", "abcdfe").value

    assert top is not None
    assert below is not None
    assert top == pytest.approx(0.9)  # only depth 1 disagrees, and it weighs 1 - p
    assert top < below < 1


def test_a_ranking_that_is_only_cut_short_agrees():
    assert one("rbo", "abcdef", "abc").value == pytest.approx(1.0)


def test_p_is_a_key_of_its_own():
    metric = make("rbo", settings={"p": 0.5})

    assert metric.info.fingerprint != make("rbo").info.fingerprint
    assert make("rbo", settings={"p": 0.9}).info == make("rbo").info


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, "high", float("nan")])
def test_p_lies_between_0_and_1(p: object):
    with pytest.raises(ConfigError, match=r"rbo.*p"):
        make("rbo", settings={"p": p})
