"""The rules of a budget that several workers share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

from ragate.database import PostgresDatabase
from ragate.database.migrations import migrate
from ragate.database.trust.budget_sql import MIGRATIONS
from tests.integration.database.test_schema import own_database

pytestmark = pytest.mark.integration

TOKEN, OTHER = "token-one", "token-two"
Row = tuple[Any, ...]


@pytest.fixture(scope="module")
def url(database: PostgresDatabase) -> Iterator[str]:
    with own_database(database, "ragate_test_budget") as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            migrate(connection, MIGRATIONS)
        yield conninfo


class Server:
    """The functions that a worker calls, and the rows behind them."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self.connection = connection

    def row(self, query: str, *values: object) -> Row:
        row = self.connection.execute(query.encode(), values).fetchone()
        assert row is not None
        return row

    def open(self, *, calls: int = 1000, usd: float | str = 1.0, plan: str = "plan") -> None:
        self.row(
            "INSERT INTO ragate_trust.budgets VALUES (%s, 'pool', %s, %s) RETURNING 1",
            plan, calls, usd,
        )  # fmt: skip
        for token in (TOKEN, OTHER):
            self.row("SELECT ragate_trust.admit(%s, %s)", plan, token)

    def reserve(self, model: str = "m", *, token: str = TOKEN, lease_s: float = 60.0) -> Row:
        return self.row(
            "SELECT reservation, wait_s, reached FROM ragate_trust.reserve(%s, 'p', %s, %s)",
            token, model, lease_s,
        )  # fmt: skip

    def settle(self, claim: int, usd: float | None, *, token: str = TOKEN) -> None:
        self.row("SELECT ragate_trust.settle(%s, %s, %s)", token, claim, usd)

    def say(self, what: str, claim: int, *, token: str = TOKEN) -> None:
        self.row(f"SELECT ragate_trust.{what}(%s, %s)", token, claim)

    def spent(self) -> Row:
        calls, cost, lost = self.row("SELECT calls, cost_usd, lost_usd FROM ragate_trust.budgets")
        return calls, float(cost), float(lost)

    def known(self, usd: float, model: str = "m") -> None:
        """Have one call of this price settled."""
        self.settle(self.reserve(model)[0], usd)


@pytest.fixture
def server(url: str) -> Iterator[Server]:
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute("TRUNCATE ragate_trust.budgets, ragate_trust.paces CASCADE")
        yield Server(connection)


def test_calls_up_to_the_cap_are_granted_and_no_more(server: Server) -> None:
    server.open(calls=3, usd="Infinity")

    granted = [server.reserve() for _ in range(3)]
    assert all(claim is not None for claim, _, _ in granted)
    assert server.reserve() == (None, 0.2, None)  # one of them may yet be given back

    for claim, _, _ in granted:
        server.settle(claim, None)
    assert server.reserve() == (None, None, "max_calls")


def test_a_call_that_was_not_billed_may_be_made_by_another(server: Server) -> None:
    server.open(calls=1)
    claim, _, _ = server.reserve()

    server.say("give_back", claim)

    assert server.reserve(token=OTHER)[0] is not None
    assert server.spent()[0] == 1


def test_the_first_call_of_a_model_goes_alone(server: Server) -> None:
    server.open()
    first, _, _ = server.reserve("new")

    assert server.reserve("new", token=OTHER) == (None, 0.2, None)
    assert server.reserve("other")[0] is not None
    server.settle(first, 0.01)
    assert server.reserve("new", token=OTHER)[0] is not None


def test_without_a_cap_on_money_nobody_waits_for_the_first_call(server: Server) -> None:
    server.open(usd="Infinity")

    assert all(server.reserve()[0] is not None for _ in range(5))


def test_what_others_have_under_way_is_waited_for_and_what_is_spent_is_not(server: Server) -> None:
    server.open(usd=1.0)
    server.known(0.3)
    first, _, _ = server.reserve()

    assert server.reserve(token=OTHER) == (None, 0.2, None)  # .3 + 2 x .45 > 1
    server.settle(first, 0.3)
    last, _, _ = server.reserve(token=OTHER)
    server.settle(last, 0.3, token=OTHER)

    assert server.reserve() == (None, None, "max_cost_usd")  # .9 + .3 > 1
    assert server.spent() == (3, pytest.approx(0.9), 0.0)


def test_a_price_that_fits_the_cap_exactly_may_be_spent(server: Server) -> None:
    server.open(usd=1.0)

    for _ in range(10):
        server.known(0.1)

    assert server.spent()[1] == pytest.approx(1.0)
    assert server.reserve()[2] == "max_cost_usd"


def test_a_reservation_whose_lease_is_over_counts_as_spent(server: Server) -> None:
    server.open(usd=1.0)
    server.known(0.2)
    claim, _, _ = server.reserve(lease_s=1.0)
    server.row("UPDATE ragate_trust.reservations SET lease = now() RETURNING 1")

    server.reserve(token=OTHER)
    assert server.spent() == (3, pytest.approx(0.2), pytest.approx(0.2))

    server.settle(claim, 0.05)  # its worker was only slow
    assert server.spent() == (3, pytest.approx(0.25), pytest.approx(0.0))


def test_a_call_that_ended_without_an_answer_counts_as_the_dearest(server: Server) -> None:
    server.open(usd=1.0)
    server.known(0.2)
    claim, _, _ = server.reserve()

    server.say("lose", claim)
    server.say("lose", claim)

    assert server.spent() == (2, pytest.approx(0.2), pytest.approx(0.2))


def test_saying_something_twice_changes_nothing(server: Server) -> None:
    server.open()
    claim, _, _ = server.reserve()

    server.settle(claim, 0.1)
    server.settle(claim, 0.1)
    server.say("give_back", claim)

    assert server.spent() == (1, pytest.approx(0.1), 0.0)


def test_another_tokens_reservation_is_left_alone(server: Server) -> None:
    server.open()
    server.known(0.1)
    claim, _, _ = server.reserve()

    server.settle(claim, 0.0, token=OTHER)
    server.say("give_back", claim, token=OTHER)
    server.say("lose", claim, token=OTHER)

    server.settle(claim, 0.1)
    assert server.spent() == (2, pytest.approx(0.2), 0.0)


@pytest.mark.parametrize("usd", [-0.01, float("nan"), float("inf"), 2e6])
def test_no_cost_lowers_what_is_spent(server: Server, usd: float) -> None:
    server.open()
    claim, _, _ = server.reserve()

    with pytest.raises(psycopg.errors.CheckViolation):
        server.settle(claim, usd)


def test_a_token_that_was_never_given_has_no_budget(server: Server) -> None:
    server.open()

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        server.reserve(token="guessed")


def test_a_token_is_kept_as_a_hash_alone(server: Server) -> None:
    server.open()

    rows = server.connection.execute("SELECT s::text FROM ragate_trust.sessions s").fetchall()

    assert TOKEN not in str(rows)


def test_a_pace_gives_each_call_a_time_of_its_own(server: Server) -> None:
    server.open(usd="Infinity")
    server.row("INSERT INTO ragate_trust.paces VALUES ('pool', 'p', 60) RETURNING 1")

    waits = [server.reserve()[1] for _ in range(4)]

    assert waits == pytest.approx([0.0, 1.01, 2.02, 3.03], abs=0.3)


def test_nobody_books_far_ahead(server: Server) -> None:
    server.open(usd="Infinity")
    server.row("INSERT INTO ragate_trust.paces VALUES ('pool', 'p', 6) RETURNING 1")

    assert server.reserve()[0] is not None
    assert server.reserve() == (None, 2.5, None)
    assert server.spent()[0] == 1


@pytest.mark.parametrize("seed", range(6))
def test_no_course_of_events_exceeds_a_cap_or_leaves_more_than_2_percent(
    server: Server, seed: int
) -> None:
    """Workers take, settle, lose, give back and die at random; costs vary fourfold."""
    chance = random.Random(seed)
    cap = 1.0
    server.open(calls=10_000, usd=cap)
    server.known(0.008)  # as dear as a call of this course can be
    billed, under_way = 0.008, []
    deaths = 0
    while True:
        claim, _wait, reached = server.reserve()
        if reached is not None:
            break
        if claim is not None:
            under_way.append(claim)
        if under_way and (claim is None or len(under_way) >= 16):
            done = under_way.pop(chance.randrange(len(under_way)))
            cost, fate = chance.uniform(0.002, 0.008), chance.random()
            if fate < 0.05:
                server.say("give_back", done)
            elif fate < 0.06 and deaths < 2:  # killed in the middle: it may have been billed
                deaths += 1
                billed += cost
                server.row(
                    "UPDATE ragate_trust.reservations SET lease = now() WHERE id = %s RETURNING 1",
                    done,
                )
            else:
                billed += cost
                server.settle(done, cost)

    assert under_way == []
    assert 0.98 * cap <= billed <= cap + 1e-9
