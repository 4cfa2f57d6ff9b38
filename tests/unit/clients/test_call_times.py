"""How long calls took, kept from run to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cache import CACHE_NAME, Cache
from ragate.clients.call_times import CallTimes, keep_times, known_times

WHO = ("local", "http://127.0.0.1:8080/v1", "smollm2")


def test_what_one_run_measured_is_known_to_the_next(tmp_path: Path) -> None:
    with Cache(tmp_path / CACHE_NAME) as cache:
        assert known_times(cache, *WHO) is None
        keep_times(cache, *WHO, CallTimes(40, 92.0))

        known = known_times(cache, *WHO)

    assert known is not None
    assert known.each_s == pytest.approx(2.3)
    assert len(known.until) == len("2026-11-30")


def test_of_another_model_server_or_client_nothing_is_known(tmp_path: Path) -> None:
    provider, address, model = WHO
    with Cache(tmp_path / CACHE_NAME) as cache:
        keep_times(cache, *WHO, CallTimes(40, 92.0))

        for other in (
            (provider, address, "another"),
            (provider, "http://127.0.0.1:9/v1", model),
            (f"judge {provider}", address, model),
        ):
            assert known_times(cache, *other) is None


def test_a_run_of_one_call_does_not_outweigh_one_of_many(tmp_path: Path) -> None:
    with Cache(tmp_path / CACHE_NAME) as cache:
        keep_times(cache, *WHO, CallTimes(40, 40.0))
        keep_times(cache, *WHO, CallTimes(1, 8.0))

        known = known_times(cache, *WHO)

    assert known is not None
    assert known.each_s == pytest.approx(28.0 / 21.0)
