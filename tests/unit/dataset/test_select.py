from __future__ import annotations

import pytest

from ragate.dataset import select
from ragate.errors import UsageError
from ragate.models import Filters, Sample

SAMPLES = [
    Sample(id="refund-late", query="a", tags=("billing", "hard")),
    Sample(id="refund-early", query="b", tags=("billing",)),
    Sample(id="login", query="c", tags=("account",)),
    Sample(id="logout", query="d"),
]


def ids(**filters: object) -> list[str]:
    return [sample.id for sample in select(SAMPLES, Filters.model_validate(filters))]


def test_without_filters_all_are_selected() -> None:
    assert select(SAMPLES, Filters()) == SAMPLES


def test_ids_keep_the_order_of_the_golden_set() -> None:
    assert ids(ids=("login", "refund-late")) == ["refund-late", "login"]


def test_any_of_the_tags_is_enough() -> None:
    assert ids(tags=("hard", "account")) == ["refund-late", "login"]


def test_filters_must_all_fit_and_the_limit_comes_last() -> None:
    assert ids(tags=("billing",), limit=1) == ["refund-late"]
    assert ids(tags=("billing",), ids=("refund-early", "login")) == ["refund-early"]
    assert ids(limit=99) == [sample.id for sample in SAMPLES]


@pytest.mark.parametrize(
    ("filters", "says"),
    [
        ({"ids": ("refund-latte",)}, "the id 'refund-latte'; did you mean 'refund-late'"),
        ({"ids": ("login", "zzz")}, "the id 'zzz'; it has login, logout"),
        ({"tags": ("biling",)}, "the tag 'biling'; did you mean 'billing'"),
        ({"tags": ("hard",), "ids": ("login",)}, "no sample"),
    ],
)
def test_a_filter_that_fits_nothing_is_a_usage_error(filters: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        ids(**filters)

    assert says in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_golden_set_without_tags_says_so() -> None:
    with pytest.raises(UsageError, match=r"no sample has the tag 'x'$"):
        select(SAMPLES[3:], Filters(tags=("x",)))
