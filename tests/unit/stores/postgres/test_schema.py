"""Ids that a run can have."""

import pytest

from ragate.stores.postgres.connect import is_run_id


@pytest.mark.parametrize("text", ["", "../x", "a/b", "a\n", "a b", "é", "a" * 101, ".."])
def test_what_could_lead_elsewhere_is_no_id(text: str) -> None:
    assert not is_run_id(text)


def test_an_id_of_ours_is_one() -> None:
    assert is_run_id("20261121-134501-250-3f9c")
