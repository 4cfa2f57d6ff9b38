"""Which runs are meant: every condition counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.stores.listed_run import ListedRun, RunStatus
from ragate.stores.run_filter import RunFilter, fitting

RUN = ListedRun(
    run_id="20261118-101500-000-aaaa",
    folder=Path("unused"),
    status=RunStatus.FAILED,
    created="2026-11-18T10:15:00+00:00",
    gate="docs",
    commit="bad0bad0",
    branch="main",
    models=("Gpt-Large", "e5"),
    meta={"ticket": "RAG-17", "who": "ann"},
)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"gate": "docs"},
        {"commit": "BAD0"},
        {"branch": "main"},
        {"since": "2026-11-18", "until": "2026-11-18"},
        {"model": "gpt"},
        {"statuses": frozenset({RunStatus.FAILED, RunStatus.BROKEN})},
        {"meta": {"who": "ann"}},
    ],
)
def test_a_run_that_meets_all_conditions_is_meant(fields: dict[str, Any]):
    assert list(fitting([RUN], RunFilter(**fields))) == [RUN]


@pytest.mark.parametrize(
    "fields",
    [
        {"gate": "doc"},
        {"commit": "d0"},
        {"branch": "mai"},
        {"since": "2026-11-19"},
        {"until": "2026-11-17"},
        {"model": "claude"},
        {"statuses": frozenset({RunStatus.PASSED})},
        {"meta": {"who": "ann", "ticket": "RAG-18"}},
        {"gate": "docs", "branch": "other"},
    ],
)
def test_one_condition_that_is_not_met_is_enough(fields: dict[str, Any]):
    assert list(fitting([RUN], RunFilter(**fields))) == []


def test_an_unfinished_run_is_of_the_day_that_its_id_names():
    run = ListedRun("20261118-101500-000-aaaa", Path("unused"), RunStatus.UNFINISHED)

    assert RunFilter(since="2026-11-18", until="2026-11-18").fits(run)
    assert not RunFilter(until="2026-11-17").fits(run)


def test_a_filter_without_a_condition_is_empty():
    assert RunFilter().empty
    assert not RunFilter(gate="docs").empty
