"""When a provider is left alone, and for how long."""

from __future__ import annotations

import pytest

from ragate.clients.http.breaker import Breaker
from ragate.errors import ProviderError


def test_a_short_burst_of_failures_does_not_open_the_breaker() -> None:
    breaker = Breaker(failures=3, seconds=5.0)

    assert not any(breaker.failed(now) for now in (0.0, 0.1, 0.2, 4.9))
    assert breaker.failed(5.0)


def test_one_success_begins_the_count_anew() -> None:
    breaker = Breaker(failures=2, seconds=0.0)
    breaker.failed(0.0)
    breaker.succeeded()

    assert not breaker.failed(1.0)
    assert breaker.failed(2.0)


def test_a_refusal_of_one_model_leaves_the_others() -> None:
    breaker = Breaker()
    breaker.open(ProviderError("no such model"), model="a")

    breaker.check("b")
    with pytest.raises(ProviderError, match="no such model") as caught:
        breaker.check("a")
    assert caught.value.fatal


def test_a_provider_rests_longer_with_every_failure_in_a_row() -> None:
    breaker = Breaker()
    rests = []
    for now in range(12):
        breaker.failed(float(now))
        rests.append(breaker.rest())

    assert rests[:5] == [0.0, 0.0, 0.0, 0.0, 0.1]
    assert rests == sorted(rests)
    assert rests[-1] == 2.0
