"""The status before the verdict: pending while outputs are collected, and early errors."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.action.forge import Change, Forge, outputs

pytestmark = pytest.mark.e2e
FORK = "stranger/handbook"


@pytest.fixture
def broken(forge: Forge) -> Change:
    return forge.change(outputs(broken=range(12)), fork=FORK)


def test_the_status_is_pending_as_soon_as_collecting_is_requested(
    forge: Forge, broken: Change
) -> None:
    run = forge.github.add_run(99, head_sha=broken.head, status="queued")

    result = forge.decide(broken, None, action="requested")

    assert (result.exit_code, result.outputs["verdict"]) == (0, "announced"), result.raw_log
    assert forge.states(broken.head) == ["pending"]
    run["status"] = "completed"
    lines = forge.collected(broken)
    assert forge.decide(broken, lines).exit_code == 1
    assert forge.states(broken.head) == ["pending", "pending", "failure"]


@pytest.mark.parametrize("run", [{"status": "completed"}, {"run_attempt": 2, "status": "queued"}])
def test_a_request_that_comes_late_does_not_cover_the_verdict(
    forge: Forge, broken: Change, run: dict[str, Any]
) -> None:
    forge.github.add_run(99, head_sha=broken.head, **run)

    result = forge.decide(broken, None, action="requested")

    assert (result.exit_code, result.outputs["verdict"]) == (0, "nothing"), result.raw_log
    assert forge.states(broken.head) == []


def test_a_request_for_a_base_without_a_gate_names_no_status(forge: Forge) -> None:
    forge.github.git.run("update-ref", "-d", "refs/heads/main")
    forge.start({"README.md": b"nothing yet"})
    change = forge.change(outputs(), fork=FORK)
    forge.github.add_run(99, head_sha=change.head, status="queued")

    assert forge.decide(change, None, action="requested").outputs["verdict"] == "nothing"
    assert forge.states(change.head) == []


@pytest.mark.parametrize("path", [r"/pulls$", r"/pulls/7$", r"/git/trees/"])
def test_the_second_half_sets_an_error_where_github_fails_before_the_policy_is_read(
    forge: Forge, broken: Change, path: str
) -> None:
    lines = forge.collected(broken)
    forge.github.fault("GET", path, status=500, times=99)

    result = forge.decide(broken, lines, inputs={"gate": "gate"})

    assert result.exit_code == 3, result.raw_log
    assert forge.states(broken.head) == ["error"]
    assert forge.github.statuses[broken.head][0]["context"] == "ragate/gate"


@pytest.mark.parametrize("inputs", [{}, {"gate": "gate"}])
def test_a_check_sets_an_error_where_the_base_cannot_be_read(
    forge: Forge, inputs: dict[str, str]
) -> None:
    change = forge.change(outputs())
    forge.github.fault("GET", "/git/trees/", status=500, times=99)

    result = forge.check(change, depth=1, inputs=inputs)

    assert result.exit_code == 3, result.raw_log
    assert forge.states(change.head) == ["error"]
