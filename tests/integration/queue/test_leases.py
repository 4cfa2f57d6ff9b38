"""What a worker can do with a block, and what it cannot."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable

import pytest

from ragate.errors import RagateError
from ragate.queue.engine import open_queue
from ragate.queue.leases import Lease, LeaseOverError, Leases, PlanGoneError
from ragate.queue.submission import Submission, delete_plan
from ragate.queue.tables import MOST_FAILED, MOST_LOST

pytestmark = pytest.mark.integration
Act = Callable[[Leases, Submission], Awaitable[None]]
PAIR = ("q1", "q2")


def acted(url: str, act: Act) -> None:
    """Submit a plan of one block and let `act` do something with it."""

    async def go() -> None:
        async with open_queue(url) as queue:
            submission = Submission(queue, secrets.token_hex(8), "a queue", "{}")
            await submission.begin()
            await submission.add(0, PAIR, rebuilds=0)
            await act(Leases(queue), submission)

    asyncio.run(go())


async def begun(leases: Leases, submission: Submission, block: int = 0) -> Lease:
    lease = await leases.begin(submission.plan, block)
    assert lease is not None
    return lease


def test_a_block_is_asked_appended_and_ended(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        lease = await begun(leases, submission)
        assert (lease.head, lease.run, lease.samples) == ("{}", 0, PAIR)
        await leases.append(lease, ["q2", "q1"], ["two", "one"])
        await leases.end(lease)

        arrived = await submission.arrivals(0, -1)
        assert [(each.sample, each.line) for each in arrived] == [("q2", "two"), ("q1", "one")]
        assert await leases.begin(submission.plan, 0) is None

    acted(url, act)


def test_the_next_worker_asks_only_what_has_no_output(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        await leases.append(await begun(leases, submission), ["q1"], ["one"])

        assert (await begun(leases, submission)).samples == ("q2",)

    acted(url, act)


def test_whoever_was_given_up_can_append_nothing_more(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        lost = await begun(leases, submission)
        await begun(leases, submission)

        for late in (
            leases.append(lost, ["q1"], ["late"]),
            leases.end(lost),
            leases.give_back(lost, "late", final=True),
            leases.greet(lost, "late"),
        ):
            with pytest.raises(LeaseOverError):
                await late
        assert await submission.arrivals(0, -1) == []

    acted(url, act)


def test_the_first_output_of_a_sample_stays(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        lease = await begun(leases, submission)
        await leases.append(lease, ["q1"], ["first"])
        await leases.append(lease, ["q1", "q2"], ["second", "two"])

        assert [each.line for each in await submission.arrivals(0, -1)] == ["first", "two"]

    acted(url, act)


@pytest.mark.parametrize("sample", ["q3", "", "q1 "])
def test_an_output_of_another_block_is_refused(url: str, sample: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        await submission.add(0, ["q3"], rebuilds=0)
        lease = await begun(leases, submission)

        with pytest.raises(RagateError, match="refused"):
            await leases.append(lease, ["q1", sample], ["one", "other"])
        assert await submission.arrivals(0, -1) == []

    acted(url, act)


def test_half_a_block_cannot_be_ended(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        lease = await begun(leases, submission)
        await leases.append(lease, ["q1"], ["one"])

        with pytest.raises(RagateError, match="not done"):
            await leases.end(lease)

    acted(url, act)


def test_the_first_greeting_counts_for_all_workers_of_a_plan(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        await submission.add(0, ["q3"], rebuilds=0)
        one, two = await begun(leases, submission), await begun(leases, submission, 1)

        assert await leases.greet(one, "first") == "first"
        assert await leases.greet(two, "second") == "first"
        assert await submission.greeting() == "first"

    acted(url, act)


def test_a_block_that_ends_its_workers_is_not_given_out_for_ever(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        for _ in range(MOST_LOST):
            await begun(leases, submission)

        assert await leases.begin(submission.plan, 0) is None
        (trouble,) = await submission.troubles()
        assert (trouble.block, trouble.final) == (0, True)
        assert f"{MOST_LOST} workers" in trouble.error

    acted(url, act)


def test_a_lost_lease_of_a_worker_that_lives_is_no_failed_attempt(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        held = await begun(leases, submission)
        for _ in range(2 * MOST_LOST):
            late, held = held, await begun(leases, submission)
            with pytest.raises(LeaseOverError):
                await leases.append(late, ["q1"], ["late"])
            await leases.give_up(late)

        await leases.append(held, ["q1", "q2"], ["one", "two"])
        await leases.end(held)
        assert await submission.troubles() == []

    acted(url, act)


def test_a_block_that_many_workers_give_back_ends_with_the_last_reason(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        for number in range(MOST_FAILED):
            await leases.give_back(await begun(leases, submission), f"{number}", final=False)

        assert await leases.begin(submission.plan, 0) is None
        (trouble,) = await submission.troubles()
        assert (trouble.error, trouble.final) == (f"{MOST_FAILED - 1}", True)

    acted(url, act)


def test_a_block_of_a_deleted_plan_is_gone(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        await delete_plan(leases.queue, submission.plan)

        with pytest.raises(PlanGoneError, match="deleted"):
            await leases.begin(submission.plan, 0)

    acted(url, act)


def test_of_a_run_that_is_over_no_block_begins_and_what_was_in_flight_is_kept(url: str) -> None:
    async def act(leases: Leases, submission: Submission) -> None:
        lease = await begun(leases, submission)
        await submission.cancel()

        await leases.append(lease, ["q1"], ["one"])
        with pytest.raises(LeaseOverError):
            await leases.begin(submission.plan, 0)
        assert [each.line for each in await submission.arrivals(0, -1)] == ["one"]

    acted(url, act)
