"""What must hold for every judge that is found."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragate import plugins
from ragate.answers.relative_dates import judged_on
from ragate.core.judging.applicability import PAIRWISE
from ragate.judges import canaries_for
from ragate.models import Sample
from ragate.protocols import Judge, KnownCriteria, judge_abilities
from tests.unit.systems.using import resources_of

JUDGES = plugins.names("judges")
MODEL = {"provider": "house", "model": "m"}


def opened(name: str, root: Path) -> Judge:
    async def made() -> Judge:
        async with plugins.judge(name, MODEL, resources_of(root)) as judge:
            return judge

    return asyncio.run(made())


@pytest.mark.parametrize("name", JUDGES)
def test_its_module_says_what_it_can_be_asked_before_it_is_made(name: str, tmp_path: Path):
    module: Any = plugins.load("judges", name)
    assert isinstance(module, KnownCriteria)
    judge = opened(name, tmp_path)

    pairs = {PAIRWISE} if judge_abilities(judge).compare else set()

    assert judge.criteria | pairs <= module.CRITERIA


@pytest.mark.parametrize("name", JUDGES)
def test_what_it_says_of_criteria_is_said_of_its_own(name: str, tmp_path: Path):
    judge = opened(name, tmp_path)

    abilities = judge_abilities(judge)

    assert (abilities.grounded or frozenset()) | abilities.own_rules <= judge.criteria


@pytest.mark.parametrize("name", JUDGES)
def test_its_canaries_are_the_same_in_a_wrapper(name: str, tmp_path: Path):
    judge = opened(name, tmp_path)
    wrapped = judged_on(judge, "2026-11-24", [Sample(id="s", query="Is it open on {today}?")])

    assert wrapped is not judge
    assert canaries_for(wrapped) == canaries_for(judge)


@pytest.mark.parametrize("name", JUDGES)
def test_its_fingerprint_is_its_own(name: str, tmp_path: Path):
    assert len({opened(each, tmp_path).fingerprint for each in JUDGES}) == len(JUDGES)
    assert opened(name, tmp_path).fingerprint == opened(name, tmp_path).fingerprint
