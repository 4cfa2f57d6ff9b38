"""A smaller golden set: how many of each kind, and which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.dataset import Entry
from ragate.dataset.checks.sampling import shares, take
from ragate.errors import UsageError
from ragate.models import Sample

_SIZES = st.dictionaries(st.text(max_size=3), st.integers(1, 60), min_size=1, max_size=12)


@given(_SIZES, st.data())
def test_shares_add_up_and_stay_within_what_is_there(
    sizes: dict[str, int], data: st.DataObject
) -> None:
    total = sum(sizes.values())
    count = data.draw(st.integers(1, total))

    found = shares(sizes, count)

    assert sum(found.values()) == count
    assert all(0 <= found[name] <= size for name, size in sizes.items())
    if count >= len(sizes):
        assert min(found.values()) >= 1
    else:
        exact = {name: count * size / total for name, size in sizes.items()}
        assert all(abs(found[name] - exact[name]) < 1 for name in sizes)


def entries(names: list[str]) -> list[Entry]:
    return [Entry(f"f:{n}", Sample(id=name, query="A?")) for n, name in enumerate(names)]


def test_a_new_sample_moves_few_others() -> None:
    before = entries([f"q{n}" for n in range(100)])
    after = entries([f"q{n}" for n in range(101)])

    first = {one.sample.id for one in take(before, 50, by_tag=False, seed=0)}
    second = {one.sample.id for one in take(after, 50, by_tag=False, seed=0)}

    assert len(first - second) <= 1


def test_the_order_of_the_file_stays_and_does_not_choose() -> None:
    names = [f"q{n}" for n in range(40)]
    forwards = take(entries(names), 10, by_tag=True, seed=3)
    backwards = take(entries(names[::-1]), 10, by_tag=True, seed=3)

    ids = [one.sample.id for one in forwards]
    assert ids == sorted(ids, key=names.index)
    assert ids == [one.sample.id for one in backwards][::-1]


def test_more_than_there_are_is_an_error() -> None:
    with pytest.raises(UsageError, match="3 samples are wanted, and there are 2"):
        take(entries(["a", "b"]), 3, by_tag=False, seed=0)
