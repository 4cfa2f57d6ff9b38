"""rbo beside the sum that it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import ConfigError
from ragate.metrics.churn.rbo import extrapolated_rbo
from tests.unit.metrics.churn.churn_pairs import one
from tests.unit.metrics.metric_factories import make

RANKINGS = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=10, unique=True)
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


@given(one=RANKINGS, other=RANKINGS, p=st.floats(0.05, 0.98))
def test_it_is_the_sum_to_any_depth(one: list[str], other: list[str], p: float):
    value = extrapolated_rbo(one, other, p)

    assert value == pytest.approx(summed(one, other, p), abs=1e-9)
    assert 0 <= value <= 1


@given(one=RANKINGS, other=RANKINGS, p=st.floats(0.001, 0.999))
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
