"""How many passes a run has, and how many may follow it: settled before the first question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragate.errors import UsageError
from ragate.models import Reads, RunManifest, SystemInfo
from ragate.pipeline.decide.final_verdict import plan_confirmation
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.system_session import Session, possible_runs


def session_of(most: int, *, deterministic: frozenset[Reads] = frozenset()) -> Any:
    """Return what a plan asks of a session whose system can give `most` passes."""
    info = SystemInfo(use="replay", deterministic=deterministic)
    said: list[str] = []
    return SimpleNamespace(
        system=SimpleNamespace(info=info),
        operations=SimpleNamespace(say=said.append),
        said=said,
        collected=Collected(RunManifest(system=info)),
        can_add=lambda passes: min(passes, most),
    )


@pytest.mark.parametrize(
    ("runs", "most", "repeats", "further"),
    [
        (1, 9, (), 2),  # two more may follow
        (1, 2, (), 1),  # the system holds one more
        (1, 1, (), 0),  # it holds none
        (2, 9, (), 2),
        (3, 9, (), 0),  # the first look has them all
        (1, 9, ("answer",), 0),  # more would be the same
        (1, 9, ("retrieval",), 2),
    ],
)
def test_what_may_follow_is_known_before_the_first_pass(
    runs: int, most: int, repeats: tuple[str, ...], further: int
):
    session = session_of(most)

    plan_confirmation(cast("Session", session), runs=runs, confirm=2, repeats=repeats)

    assert session.collected.manifest.confirm == further


def test_a_system_that_declares_its_answers_exact_is_not_asked_again():
    session = session_of(9, deterministic=frozenset({Reads.ANSWER}))

    plan_confirmation(cast("Session", session), runs=1, confirm=2)

    assert session.collected.manifest.confirm == 0


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
