"""The night's run of the default branch: its history, its badge, and its alert."""

from __future__ import annotations

import json

import pytest

from tests.container.runner import StepResult
from tests.e2e.action.forge import Forge, outputs
from tests.e2e.action.main_projects import record
from tests.e2e.action.talk import judged
from tests.servers.collector import Collector, collector

pytestmark = pytest.mark.e2e

BROKEN = range(12)
PATH = "/hooks/T0/very-secret"


def named(files: dict[str, bytes], variable: str = "ALERTS") -> dict[str, bytes]:
    """Return the project's files with a policy that names where alerts go."""
    config = files["ragate.toml"].decode()
    line = f'[policy]\nalert_env = "{variable}"\n'
    return files | {"ragate.toml": config.replace("[policy]\n", line, 1).encode()}


def night(forge: Forge, hook: Collector | None, **options) -> StepResult:
    hook_url = f"{hook.url}{PATH}" if hook is not None else ""
    return record(forge, event="schedule", env={"ALERTS": hook_url}, **options)


def warnings(result: StepResult) -> str:
    return "\n".join(each.data for each in result.annotations("warning"))


def drifted(forge: Forge, gated: dict[str, bytes]) -> None:
    """Have the service answer otherwise, though no commit says so."""
    files = named(gated) | outputs(broken=BROKEN)
    forge.base = forge.github.commit(files, branch="")
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))


def test_an_alert_carries_counts_and_no_text(forge: Forge, gated: dict[str, bytes]):
    drifted(forge, gated)

    with collector() as hook:
        hook.status = 204
        result = night(forge, hook)

    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed"), result.log
    (body,) = hook.bodies
    told = json.loads(body)
    assert set(told) == {*("text", "gate", "commit", "verdict", "exit_code", "run_url", "counts")}
    assert (told["verdict"], told["exit_code"]) == ("failed", 1)
    assert told["counts"]["samples_worse"] == len(BROKEN)
    assert all(isinstance(count, int) for count in told["counts"].values())
    assert "hit_rate" not in body.decode()


def test_the_address_of_the_alerts_is_in_no_output(forge: Forge, gated: dict[str, bytes]):
    drifted(forge, gated)

    with collector() as hook:
        hook.status = 500
        result = night(forge, hook)

    assert result.exit_code == 1
    assert "the alert was not taken: HTTP 500" in warnings(result)
    assert PATH not in result.raw_log + result.summary + str(result.outputs)


def test_a_night_that_passed_sends_no_alert(forge: Forge, gated: dict[str, bytes]):
    forge.base = forge.github.commit(named(gated), branch="")
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))

    with collector() as hook:
        result = night(forge, hook)

    assert result.exit_code == 0, result.log
    assert hook.bodies == []


def test_a_pull_request_sends_no_alert(forge: Forge, gated: dict[str, bytes]):
    change = forge.change(named(gated) | outputs(broken=BROKEN))

    with collector() as hook:
        result = judged(forge, change, env={"ALERTS": f"{hook.url}{PATH}"})

    assert result.exit_code == 1, result.log
    assert hook.bodies == []


def test_a_night_without_its_variable_says_that_nobody_is_told(
    forge: Forge, gated: dict[str, bytes]
):
    drifted(forge, gated)

    result = night(forge, None)

    assert result.exit_code == 1
    assert "the variable ALERTS of [policy] alert_env is empty" in warnings(result)


def test_a_night_that_breaks_off_is_told_too(forge: Forge, gated: dict[str, bytes]):
    broken = named(gated) | {"baselines/gate.json": b"<<<<<<< HEAD\n"}
    forge.base = forge.github.commit(broken, branch="")
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))

    with collector() as hook:
        hook.status = 204
        result = night(forge, hook)

    assert result.exit_code == 2
    assert json.loads(hook.bodies[0])["verdict"] == "no_decision"


def test_the_summary_of_the_night_holds_the_history(forge: Forge):
    result = night(forge, None)

    assert result.exit_code == 0, result.log
    assert "<h3>History of gate</h3>" in result.summary
    assert "xychart-beta" in result.summary
    badge = forge.last / ".ragate" / "result" / "badge.svg"
    assert 'aria-label="gate: passed"' in badge.read_text()


def test_a_push_writes_no_history(forge: Forge):
    result = record(forge)

    assert "History of" not in result.summary
