"""The passes that are collected from a system."""

from __future__ import annotations

from typing import cast

import pytest

from ragate.answers.system_session import Session, possible_runs
from ragate.errors import UsageError
from tests.unit.answers.run_plans import session_of


@pytest.mark.parametrize(
    ("most", "runs", "told"), [(3, 3, []), (5, 3, []), (2, 3, ["2 of 3 runs"])]
)
def test_only_runs_that_are_missing_are_told(most: int, runs: int, told: list[str]):
    session = session_of(most)

    assert possible_runs(cast("Session", session), runs) == min(most, runs)
    assert [line[:11] for line in session.said] == told


def test_a_system_without_a_run_is_refused():
    with pytest.raises(UsageError, match="no recorded run"):
        possible_runs(cast("Session", session_of(0)), 1)
