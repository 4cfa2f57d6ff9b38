"""The rules of a budget that several workers share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

from ragate.database import PostgresDatabase
from ragate.database.budget_sql import MIGRATIONS
from ragate.database.migrations import migrate
from tests.integration.database.test_schema import own_database

pytestmark = pytest.mark.integration

TOKENS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
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

    def open(self, *, calls: int = 1000, usd: float = 1.0) -> None:
        self.row("INSERT INTO ragate_trust.budgets VALUES ('plan', %s, %s) RETURNING 1", calls, usd)
        for token in TOKENS:
            self.row("SELECT ragate_trust.admit('plan', %s)", token)

    def draw(
        self,
        token: str = "one",
        model: str = "m",
        *,
        used: tuple[int, float] = (0, 0.0),
        held: tuple[int, float] = (0, 0.0),
        usd_each: float | None = None,
    ) -> Row:
        """Return calls and US dollars that the share was given in all, and the cap reached."""
        return self.row(
            "SELECT calls, round(usd::numeric, 6)::float8, reached "
            "FROM ragate_trust.draw(%s, %s, 60, %s, %s, %s, %s, %s)",
            token, model, *used, *held, usd_each,
        )  # fmt: skip

    def price(self, usd: float | None, *, token: str = "one", model: str = "m") -> None:
        self.row("SELECT ragate_trust.price(%s, %s, %s)", token, model, usd)

    def turn(self, token: str = "one") -> float | None:
        (wait_s,) = self.row("SELECT ragate_trust.turn(%s, 'p')", token)
        return None if wait_s is None else float(wait_s)

    def given(self) -> tuple[int, float]:
        calls, usd = self.row("SELECT sum(calls), sum(usd) FROM ragate_trust.sessions")
        return int(calls), float(usd)


@pytest.fixture
def server(url: str) -> Iterator[Server]:
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute("TRUNCATE ragate_trust.budgets CASCADE")
        yield Server(connection)


def test_a_share_is_a_quarter_of_what_may_lie_unused(server: Server) -> None:
    server.open(calls=1000, usd=1.0)
    server.price(0.001)

    assert server.draw("one") == (25, 0.025, None)  # a quarter of a tenth
    assert server.draw("two") == (18, 0.01875, None)
    assert server.draw("one", used=(25, 0.025)) == (45, 0.045313, None)


def test_unused_shares_are_a_tenth_of_the_cap_at_most_however_many_workers_there_are(
    server: Server,
) -> None:
    server.open(calls=10_000, usd=10.0)
    server.price(0.0001)

    for _ in range(5):
        for token in TOKENS:
            server.draw(token, held=(10, 0.001))

    calls, usd = server.given()
    assert 800 <= calls <= 1000
    assert 0.8 <= usd <= 1.0


def test_where_the_cap_is_small_a_share_is_a_call(server: Server) -> None:
    server.open(calls=3)
    server.price(0.01)

    assert [server.draw(token)[::2] for token in TOKENS[:4]] == [
        *((1, None), (1, None), (1, None)),
        (0, "max_calls"),
    ]
    assert server.draw("one", used=(1, 0.01))[2] == "max_calls"


def test_calls_under_way_and_the_next_one_are_covered_or_nothing_is_given(server: Server) -> None:
    server.open(usd=1.0)
    server.price(0.3)

    assert server.draw("one") == (25, 0.3, None)
    assert server.draw("one", held=(1, 0.3)) == (25, 0.75, None)
    assert server.draw("two", held=(1, 0.0)) == (0, 0.0, "max_cost_usd")
    assert server.draw("one", used=(2, 0.6)) == (25, 0.9, None)
    assert server.draw("one", used=(3, 0.9)) == (25, 0.9, "max_cost_usd")


def test_the_dearest_call_that_anybody_knows_of_counts(server: Server) -> None:
    server.open()
    server.price(0.3)
    server.price(0.1)

    assert server.draw("two")[1] == 0.3
    assert server.draw("three", usd_each=0.4)[1] == 0.4


def test_a_call_that_was_dearer_than_its_share_is_taken_from_what_is_left(server: Server) -> None:
    server.open(usd=1.0)
    server.draw("one")
    server.price(0.9)

    assert server.draw("one", used=(1, 0.9))[2] == "max_cost_usd"
    assert server.draw("two")[2] == "max_cost_usd"


def test_the_first_call_of_a_model_goes_alone(server: Server) -> None:
    server.open()

    assert server.draw("one", "new")[2] is None
    assert server.draw("two", "new")[2] == "first"
    assert server.draw("two", "other")[2] is None
    server.price(None, model="new")  # it came to nothing
    assert server.draw("two", "new")[2] is None
    assert server.draw("one", "new")[2] == "first"
    server.price(0.01, model="new")
    assert server.draw("one", "new")[2] is None


def test_a_first_call_whose_worker_was_killed_is_waited_for_no_longer_than_it_may_take(
    server: Server,
) -> None:
    server.open()
    server.draw("one")
    server.row("UPDATE ragate_trust.dearest SET first_until = now() RETURNING 1")

    assert server.draw("two")[2] is None


def test_what_processes_without_workers_spent_counts(server: Server) -> None:
    server.open(calls=10, usd=1.0)
    server.row("UPDATE ragate_trust.budgets SET alone_calls = 9, alone_usd = 0.5 RETURNING 1")
    server.price(0.4)

    assert server.draw("one") == (1, 0.4, None)
    assert server.draw("two")[2] == "max_calls"


@pytest.mark.parametrize(
    ("used", "held"),
    [
        ((0, 0.0), (0, float("nan"))),
        ((0, 0.0), (-1000, -1000.0)),
        ((-1000, -1000.0), (0, 0.0)),
        ((0, 0.0), (10**9, 0.0)),
        ((0, 0.0), (0, 1e300)),
    ],
)
def test_no_lie_gives_a_worker_more_than_its_plans_cap(
    server: Server, used: tuple[int, float], held: tuple[int, float]
) -> None:
    server.open(calls=10, usd=1.0)
    server.price(0.01)

    for _ in range(100):
        for token in TOKENS:
            server.draw(token, used=used, held=held)

    calls, usd = server.given()
    assert calls <= 10
    assert usd <= 1.0


def test_what_was_given_is_never_taken_back(server: Server) -> None:
    server.open(calls=1000)
    server.price(0.001)
    server.draw("one", used=(20, 0.02))

    before = server.given()
    server.draw("one", used=(0, 0.0))

    assert server.given() >= before


@pytest.mark.parametrize("usd", [-0.01, float("nan"), float("inf"), 2e6])
def test_no_price_is_less_than_nothing_or_beyond_a_million(server: Server, usd: float) -> None:
    server.open()

    with pytest.raises(psycopg.errors.CheckViolation):
        server.price(usd)
    with pytest.raises(psycopg.errors.CheckViolation):
        server.draw(used=(0, 2e9 if usd == 2e6 else float("nan")))


def test_a_token_that_was_never_given_has_no_budget(server: Server) -> None:
    server.open()

    for call in (server.draw, server.turn):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            call("guessed")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        server.price(1.0, token="guessed")


def test_a_token_is_kept_as_a_hash_alone(server: Server) -> None:
    server.open()

    rows = server.connection.execute("SELECT s::text FROM ragate_trust.sessions s").fetchall()

    assert "one" not in str(rows)


def test_a_pace_gives_each_call_a_time_of_its_own(server: Server) -> None:
    server.open()
    server.row("INSERT INTO ragate_trust.paces VALUES ('plan', 'p', 60) RETURNING 1")

    waits = [server.turn(token) for token in TOKENS[:4]]

    assert waits == pytest.approx([0.0, 1.01, 2.02, 3.03], abs=0.3)


def test_nobody_books_far_ahead(server: Server) -> None:
    server.open()
    server.row("INSERT INTO ragate_trust.paces VALUES ('plan', 'p', 6) RETURNING 1")

    assert server.turn() == 0.0
    assert server.turn() is None


def test_a_provider_without_a_pace_is_asked_at_once(server: Server) -> None:
    server.open()

    assert [server.turn() for _ in range(3)] == [0.0, 0.0, 0.0]
