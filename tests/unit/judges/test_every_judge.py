"""What must hold for every judge that is found."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragate import plugins
from ragate.core.judging.criteria import PAIRWISE
from ragate.protocols import ComparingJudge, GroundedCriteria, Judge, KnownCriteria, OwnRules
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

    pairs = {PAIRWISE} if isinstance(judge, ComparingJudge) else set()

    assert judge.criteria | pairs <= module.CRITERIA


@pytest.mark.parametrize("name", JUDGES)
def test_what_it_says_of_criteria_is_said_of_its_own(name: str, tmp_path: Path):
    judge = opened(name, tmp_path)

    grounded = judge.grounded if isinstance(judge, GroundedCriteria) else frozenset()
    own_rules = judge.own_rules if isinstance(judge, OwnRules) else frozenset()

    assert grounded | own_rules <= judge.criteria


@pytest.mark.parametrize("name", JUDGES)
def test_its_fingerprint_is_its_own(name: str, tmp_path: Path):
    assert len({opened(each, tmp_path).fingerprint for each in JUDGES}) == len(JUDGES)
    assert opened(name, tmp_path).fingerprint == opened(name, tmp_path).fingerprint
