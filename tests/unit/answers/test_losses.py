"""What a run may lose, and what it says once that is more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragate.answers.losses import Losses, TimeSettings
from ragate.errors import HopelessError

SETTINGS = TimeSettings(8, 60.0, "RAGATE_CONCURRENCY={} RAGATE_TIMEOUT_S={}", 0.45)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_one_more_than_may_be_lost_ends_it_with_the_first_three_causes():
    losses = Losses("questions", 40, 0.05, SETTINGS, passes=3)
    for number in range(6):
        losses.lose(f"0 q{number}", f"refused {number // 2}")
    losses.lose("0 q0", "refused again")  # it is one question still

    with pytest.raises(HopelessError) as found:
        losses.lose("1 q0", "refused 3")

    assert found.value.exit_code == 3
    assert found.value.message.splitlines() == [
        "7 of 120 questions failed, and at most 6 may: the run ends here, and asks nothing more",
        "  1 × refused again",
        "  1 × refused 0",
        "  2 × refused 1",
        "  and 2 other causes",
    ]


@pytest.mark.parametrize(
    ("answered", "at_once", "remedy"),
    [
        (1, 8, "if it cannot take 8 at once: RAGATE_CONCURRENCY=1 RAGATE_TIMEOUT_S=60"),
        (1, 1, "what was answered is not paid for twice"),
        (0, 8, "what was answered is not paid for twice"),
    ],
)
def test_what_answers_some_may_not_take_several_at_once(answered: int, at_once: int, remedy: str):
    losses = Losses("questions", 40, 0.0, replace(SETTINGS, concurrency=at_once))
    for number in range(answered):
        losses.found(f"0 q{number}", 0.1)

    with pytest.raises(HopelessError) as failed:
        losses.lose("0 last", "the service answered 500: database is locked")

    assert failed.value.remedy is not None
    assert failed.value.remedy.endswith(remedy)


def test_what_is_found_by_the_end_of_the_pass_is_lost_no_more():
    losses = Losses("questions", 20, 0.05, SETTINGS)
    losses.lose("0 q1", "busy")
    losses.found("0 q1", 0.1)
    losses.lose("0 q2", "busy")

    assert list(losses.lost) == ["0 q2"]


def test_each_part_of_a_judgement_may_be_lost_as_often():
    losses = Losses("judgements", 20, 0.05, SETTINGS, about={"faithfulness", "correctness"})
    losses.lose("a", "late", ["faithfulness"])
    losses.lose("b", "late", ["correctness"])
    losses.lose("c", "late", ["style"])  # which nothing depends on

    with pytest.raises(HopelessError):
        losses.lose("d", "late", ["correctness"])


def hopeless(losses: Losses) -> str:
    with pytest.raises(HopelessError) as found:
        losses.lose("0 last", "127.0.0.1: no answer within 27 s (after 2 tries)")
    return found.value.remedy


def test_the_remedy_names_the_values_that_the_times_seen_would_need():
    clock = Clock()
    losses = Losses("questions", 10, 0.0, SETTINGS, clock=clock)
    losses.began()
    for number in range(4):
        losses.found(f"0 q{number}", 24.0)
    clock.now = 80.0  # 20 s an answer

    assert hopeless(losses) == (
        "4 were answered in 80 s, the slowest in 24 s, with 8 at once: "
        "ask one at a time and wait longer, RAGATE_CONCURRENCY=1 RAGATE_TIMEOUT_S=89 or more"
    )


def test_where_nothing_was_answered_twice_the_time_is_a_beginning():
    losses = Losses("questions", 10, 0.0, SETTINGS)
    losses.began()

    assert "nothing was answered within 60 s, with 8 at once" in hopeless(losses)
    assert "RAGATE_CONCURRENCY=1 RAGATE_TIMEOUT_S=120 or more" in hopeless(losses)
