"""When the night is told: only where main's own policy rules."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragate.github.gate.step_context import StepContext
from ragate.github.night.after_night import after_night, is_night


def context(**fields: Any) -> StepContext:
    """Return as much of a step as these functions look at before anything is read."""
    facts = {"name": "schedule", "ref": "refs/heads/main", "mode": "baseline", "outputs": ""}
    facts |= fields
    event = SimpleNamespace(name=facts["name"], ref=facts["ref"], default_branch="main")
    inputs = SimpleNamespace(mode=facts["mode"], outputs_path=facts["outputs"])
    warnings: list[str] = []
    log = SimpleNamespace(warning=warnings.append, warnings=warnings)
    made = SimpleNamespace(event=event, inputs=inputs, log=log, config_path=Path("nowhere.toml"))
    return cast("StepContext", made)


@pytest.mark.parametrize("mode", ["baseline", "record"])
def test_the_scheduled_run_of_main_is_the_night(mode: str):
    assert is_night(context(mode=mode))


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "push"},
        {"name": "pull_request"},
        {"ref": "refs/heads/feature"},
        {"mode": "check"},
        {"mode": "decide"},
        {"outputs": "outputs.jsonl"},
    ],
)
def test_nothing_else_is(fields: dict[str, str]):
    assert not is_night(context(**fields))


def test_what_goes_wrong_is_a_warning_and_no_verdict():
    broken = context()

    after_night(broken, None, exit_code=3)

    (warning,) = cast("Any", broken.log).warnings
    assert warning.startswith("the history of this night is not told: ")
