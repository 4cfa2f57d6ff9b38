"""Whole steps behind the judge of GitHub's API: every call that they make, and every answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.action.forge import Forge, outputs, recorded_project
from tests.github.openapi.conftest import judged_stub

pytestmark = [pytest.mark.e2e, pytest.mark.openapi]


@pytest.fixture
def forge(modules: Path, tmp_path: Path) -> Iterator[Forge]:
    files = recorded_project(tmp_path / "gated")
    with judged_stub(modules, tmp_path) as github:
        made = Forge(github, tmp_path)
        made.start(files)
        yield made


def test_a_red_pull_request_and_its_repair_are_read_and_told_as_github_describes_it(
    forge: Forge,
) -> None:
    # Of a clone this shallow the base is not there: it is read by the API.
    broken = forge.change(outputs(broken=range(12)))
    red = forge.check(broken, depth=1)
    repaired = forge.change(outputs())
    green = forge.check(repaired, depth=1)

    assert (red.exit_code, green.exit_code) == (1, 0), red.log + green.log
    told = [one.data for one in (*red.annotations("warning"), *green.annotations("warning"))]
    assert [line for line in told if "could not be written" in line] == []
    assert forge.states(broken.head) == ["pending", "failure"]
    assert forge.states(repaired.head) == ["pending", "success"]
    assert repaired.head[:7] in forge.comment()
    assert [
        seen for seen in forge.github.requests if "/contents/" in seen.path or "/git/" in seen.path
    ]


def test_the_fork_pair_is_read_and_told_as_github_describes_it(forge: Forge) -> None:
    change = forge.change(outputs(broken=range(12)), fork="mallory/handbook")
    _, collected = forge.collect(change)
    decided = forge.decide(change, collected)

    assert (decided.exit_code, decided.outputs["verdict"]) == (1, "failed"), decided.log
    told = [one.data for one in decided.annotations("warning")]
    assert [line for line in told if "could not be" in line] == []
    assert forge.states(change.head)[-1] == "failure"
    assert change.head[:7] in forge.comment()
