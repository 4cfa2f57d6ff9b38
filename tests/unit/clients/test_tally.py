from __future__ import annotations

from dataclasses import asdict

from ragate.clients.tally import Tally, read_tally


def test_what_two_processes_spent_adds_up() -> None:
    one, two = Tally(calls=2, cost_usd=0.5), Tally(calls=3, cost_usd=0.25, retries=1)

    assert one + two == Tally(calls=5, cost_usd=0.75, retries=1)


def test_a_tally_is_read_as_it_was_told() -> None:
    tally = Tally(calls=2, cost_usd=0.5, saved_usd=1.5, reused=3)

    assert read_tally(asdict(tally)) == tally


def test_nobody_tells_less_than_nothing() -> None:
    told = {"calls": -5, "cost_usd": "much", "reused": 1e300, "retries": [1], "other": 3}

    assert read_tally(told) == Tally()
