"""Progress as plain lines."""

from __future__ import annotations

import threading

import pytest

from ragate.answers.milestones import Milestones, Pace, rate_words, told_if_slow
from ragate.models.progress import Progress


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def lines_of(total: int, *, seconds: float = 0.0, cost: float = 0.0) -> list[str]:
    said: list[str] = []
    clock = Clock()
    milestones = Milestones(said.append, Pace(clock))
    for done in range(1, total + 1):
        milestones.show(Progress("run 1", done, total, cost_usd=cost))
        clock.now += seconds
    return said


def test_a_long_stage_is_told_at_each_quarter_and_a_short_one_at_its_end() -> None:
    assert [line.split()[2] for line in lines_of(200)] == [
        "50/200",
        "100/200",
        "150/200",
        "200/200",
    ]
    assert lines_of(20) == ["run 1: 20/20 samples"]


def test_a_milestone_tells_rate_cost_and_the_time_left() -> None:
    first, *_, last = lines_of(200, seconds=0.5, cost=0.5)

    assert first == "run 1: 50/200 samples · 2.0 a second · $0.50 · 1 min left"
    assert last == "run 1: 200/200 samples · 2.0 a second · $0.50"


def test_no_pace_is_told_of_what_took_no_time() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.words(Progress("judging", 1, 4))
    clock.now = 0.0001

    assert pace.words(Progress("judging", 4, 4)) == []


def test_each_stage_is_measured_on_its_own_and_what_was_there_already_is_not_counted() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.words(Progress("run 1", 1, 10))
    clock.now = 100.0
    pace.words(Progress("run 2", 90, 100))
    clock.now = 105.0

    assert pace.words(Progress("run 2", 95, 100)) == ["1.0 a second", "5 s left"]


def test_two_stages_at_once_are_measured_each_from_its_own_beginning() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.words(Progress("run 1", 0, 10))
    pace.words(Progress("trying the judge", 0, 10))
    clock.now = 5.0
    assert pace.words(Progress("run 1", 5, 10)) == ["1.0 a second", "5 s left"]
    assert pace.words(Progress("trying the judge", 10, 10)) == ["2.0 a second"]

    # The next of this name begins anew.
    assert pace.words(Progress("trying the judge", 1, 10)) == []


def test_failures_are_no_pace_and_take_time_all_the_same() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.words(Progress("judging", 0, 40))
    clock.now = 10.0

    assert pace.words(Progress("judging", 10, 40, failed=10)) == []
    clock.now = 20.0
    assert pace.words(Progress("judging", 20, 40, failed=10)) == ["30.0 a minute", "20 s left"]


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (1234.5, "1,234 a second"),
        (1.44, "1.4 a second"),
        (0.5, "30.0 a minute"),
        (1 / 40, "1.5 a minute"),
        (1 / 90, "40.0 an hour"),
    ],
)
def test_a_rate_has_the_unit_that_shows_it(rate: float, shown: str) -> None:
    assert rate_words(rate) == shown


def test_a_slow_stage_is_told_each_minute_in_a_log() -> None:
    # Twelve answers of a model on one's own machine, 25 seconds each.
    assert lines_of(12, seconds=25.0) == [
        "run 1: 4/12 samples · 2.4 a minute · 3 min left",
        "run 1: 7/12 samples · 2.4 a minute · 2 min left",
        "run 1: 10/12 samples · 2.4 a minute · 50 s left",
        "run 1: 12/12 samples · 2.4 a minute",
    ]


@pytest.mark.parametrize(
    ("left", "shown"),
    [(0.2, "1 s left"), (59, "59 s left"), (600, "10 min left"), (5400, "1.5 h left")],
)
def test_the_time_left_is_rounded_as_nobody_takes_it_for_exact(left: float, shown: str) -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.words(Progress("judging", 0, 2))
    clock.now = left

    assert pace.words(Progress("judging", 1, 2))[-1] == shown


# What takes long is told once.


def test_what_takes_long_is_told_while_it_goes_on() -> None:
    said, told = [], threading.Event()

    def say(line: str) -> None:
        said.append(line)
        told.set()

    with told_if_slow(say, "importing rag", after_s=0.01):
        assert told.wait(10)

    assert said == ["importing rag: 0.01 s so far, still waiting"]


def test_what_is_done_soon_is_not_told() -> None:
    said: list[str] = []

    with told_if_slow(said.append, "importing rag", after_s=60):
        pass

    assert said == []
