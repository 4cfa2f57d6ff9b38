from __future__ import annotations

import asyncio

import pytest

from ragate.clients.http.retry import Deadline, FaultKind, Retry, TransientError
from tests.unit.clients.virtual_time import run


class Calls:
    """Fails the same way every time, and notes when it was called."""

    def __init__(self, *kinds: FaultKind, after: float | None = None) -> None:
        self.kinds = list(kinds)
        self.after = after
        self.times: list[float] = []

    async def __call__(self, before: int) -> str:
        assert before == len(self.times)
        self.times.append(asyncio.get_running_loop().time())
        if not self.kinds:
            return "done"
        kind = self.kinds.pop(0) if len(self.kinds) > 1 else self.kinds[0]
        raise TransientError("no", kind=kind, after=self.after)


def failed(calls: Calls, retry: Retry, *, deadline_s: float = 1e6) -> TransientError:
    async def main() -> str:
        clock = asyncio.get_running_loop().time
        deadline = Deadline(deadline_s, clock=clock)
        deadline.start()
        return await retry(calls, deadline=deadline)

    with pytest.raises(TransientError) as caught:
        run(main())
    return caught.value


def test_a_call_that_keeps_failing_is_made_six_times() -> None:
    calls = Calls(FaultKind.FAILED)

    error = failed(calls, Retry())

    assert len(calls.times) == 6
    assert str(error) == "no (after 6 tries)"
    assert error.__context__ is None


def test_an_answer_that_cannot_be_read_is_asked_for_three_times() -> None:
    calls = Calls(FaultKind.MALFORMED)

    failed(calls, Retry())

    assert len(calls.times) == 3


def test_rejected_calls_do_not_use_up_the_tries() -> None:
    calls = Calls(*[FaultKind.REJECTED] * 20, FaultKind.FAILED)

    failed(calls, Retry())

    assert len(calls.times) == 26


def test_calls_that_are_rejected_for_ever_end_all_the_same() -> None:
    calls = Calls(FaultKind.REJECTED)

    failed(calls, Retry())

    assert len(calls.times) == 40


def test_no_call_begins_after_the_deadline() -> None:
    calls = Calls(FaultKind.REJECTED, after=3.0)

    failed(calls, Retry(), deadline_s=10.0)

    assert 3 <= len(calls.times) <= 4
    assert calls.times[-1] < 10.0


def test_waits_are_drawn_between_nothing_and_a_bound_that_doubles() -> None:
    calls = Calls(FaultKind.FAILED)
    bounds: list[float] = []

    def uniform(low: float, high: float) -> float:
        assert low == 0.0
        bounds.append(high)
        return high

    failed(calls, Retry(tries=8, cap_s=4.0, uniform=uniform))

    assert bounds == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0]


def test_one_try_means_one_call_whatever_it_failed_of() -> None:
    for kind in FaultKind:
        calls = Calls(kind)
        failed(calls, Retry(tries=1))
        assert len(calls.times) == 1
