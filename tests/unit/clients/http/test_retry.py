from __future__ import annotations

import asyncio

from ragate.clients.http.retry import Course, FaultKind, Retry
from tests.unit.clients.virtual_time import run


def course_of(
    retry: Retry,
    *kinds: FaultKind,
    after: float | None = None,
    seconds: float = 1e6,
    unreadable: int = 3,
) -> list[float]:
    """Return when the calls of a question are made that all fail, the last kind for ever."""

    async def main() -> list[float]:
        clock = asyncio.get_running_loop().time
        course = Course(retry, seconds, unreadable, clock)
        course.start()
        times: list[float] = []
        left = list(kinds)
        while True:
            assert course.calls == len(times)
            times.append(clock())
            wait = course.wait_after(left.pop(0) if len(left) > 1 else left[0], after)
            if wait is None:
                return times
            await asyncio.sleep(wait)

    return run(main())


def test_a_call_that_keeps_failing_is_made_six_times() -> None:
    assert len(course_of(Retry(), FaultKind.FAILED)) == 6


def test_an_answer_that_cannot_be_read_is_asked_for_three_times() -> None:
    assert len(course_of(Retry(), FaultKind.MALFORMED)) == 3
    assert len(course_of(Retry(), FaultKind.MALFORMED, unreadable=1)) == 1


def test_rejected_calls_do_not_use_up_the_tries() -> None:
    assert len(course_of(Retry(), *[FaultKind.REJECTED] * 20, FaultKind.FAILED)) == 26


def test_calls_that_are_rejected_for_ever_end_all_the_same() -> None:
    assert len(course_of(Retry(), FaultKind.REJECTED)) == 40


def test_no_call_begins_after_the_deadline() -> None:
    times = course_of(Retry(), FaultKind.REJECTED, after=3.0, seconds=10.0)

    assert 3 <= len(times) <= 4
    assert times[-1] < 10.0


def test_a_server_that_asks_for_more_than_the_patience_is_given_up_on_at_once() -> None:
    assert len(course_of(Retry(patience_s=5.0), FaultKind.FAILED, after=5.1)) == 1


def test_waits_are_drawn_between_nothing_and_a_bound_that_doubles() -> None:
    bounds: list[float] = []

    def uniform(low: float, high: float) -> float:
        assert low == 0.0
        bounds.append(high)
        return high

    course_of(Retry(tries=8, cap_s=4.0, uniform=uniform), FaultKind.FAILED)

    assert bounds == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0]


def test_a_call_that_was_one_too_many_is_soon_made_again_and_later_each_time() -> None:
    bounds: list[float] = []

    def uniform(_low: float, high: float) -> float:
        bounds.append(high)
        return high

    course_of(Retry(uniform=uniform), FaultKind.REJECTED)

    assert bounds[:7] == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


def test_one_try_means_one_call_whatever_it_failed_of() -> None:
    for kind in FaultKind:
        assert len(course_of(Retry(tries=1), kind)) == 1
