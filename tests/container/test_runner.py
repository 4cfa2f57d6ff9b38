"""The harness itself: what a step gets, and what is read of it. No engine is needed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.container.engine import Engine
from tests.container.runner import TOKEN, StepResult, run_step
from tests.container.variables import Layout, input_variable, read_action

ACTION = """\
name: probe
description: d
inputs:
  mode: {description: d, default: check}
  allow-code: {description: d, default: "false"}
  github-token: {description: d, default: "${{ github.token }}"}
runs: {using: docker, image: Dockerfile}
"""
SHOW = "import json, os; print(json.dumps(dict(os.environ)))"


@pytest.fixture
def action(tmp_path: Path) -> Path:
    (tmp_path / "action").mkdir()
    (tmp_path / "action" / "action.yml").write_text(ACTION)
    (tmp_path / "workspace").mkdir()
    return tmp_path / "action"


def step(action: Path, program: str, **arguments: Any) -> StepResult:
    return run_step(
        action,
        workspace=action.parent / "workspace",
        entrypoint=[sys.executable, "-c", program],
        **arguments,
    )


def test_a_step_gets_its_inputs_by_name_and_default(action: Path):
    result = step(action, SHOW, inputs={"mode": "decide"})

    given = json.loads(result.raw_log)
    assert given["INPUT_MODE"] == "decide"
    assert given["INPUT_ALLOW-CODE"] == "false"
    assert given["INPUT_GITHUB-TOKEN"] == TOKEN
    assert "GITHUB_TOKEN" not in given


def test_a_name_with_a_space_gets_an_underscore_and_keeps_its_hyphen():
    assert input_variable("a b-c") == "INPUT_A_B-C"


def test_the_token_is_hidden_in_the_log(action: Path):
    result = step(action, SHOW)

    assert TOKEN in result.raw_log
    assert TOKEN not in result.log


def test_nothing_of_the_caller_reaches_a_step(action: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAGATE_CONFIG", "mine.toml")

    assert "RAGATE_CONFIG" not in json.loads(step(action, SHOW).raw_log)


def test_the_step_env_cannot_replace_what_the_runner_sets(action: Path):
    result = step(action, SHOW, sha="a" * 40, env={"GITHUB_SHA": "forged", "MY_KEY": "k"})

    given = json.loads(result.raw_log)
    assert given["GITHUB_SHA"] == "a" * 40
    assert given["MY_KEY"] == "k"


def test_outputs_summary_and_event_are_files(action: Path):
    program = (
        "import json, os; e = os.environ\n"
        "number = json.load(open(e['GITHUB_EVENT_PATH']))['number']\n"
        "open(e['GITHUB_OUTPUT'], 'a').write(f'number={number}\\n')\n"
        "open(e['GITHUB_STEP_SUMMARY'], 'a').write('# Done')\n"
    )

    result = step(action, program, event={"number": 7})

    assert result.outputs == {"number": "7"}
    assert result.summary == "# Done"
    assert result.conclusion == "success"


def test_a_bad_output_line_fails_a_step_that_ended_well(action: Path):
    result = step(action, "import os; open(os.environ['GITHUB_OUTPUT'], 'a').write('oops\\n')")

    assert result.exit_code == 0
    assert result.conclusion == "failure"


def test_a_summary_over_the_limit_is_dropped_and_the_step_stays_green(action: Path):
    program = "import os; open(os.environ['GITHUB_STEP_SUMMARY'], 'w').write('x' * 1048577)"

    result = step(action, program)

    assert result.summary == ""
    assert "aborted" in result.log
    assert result.conclusion == "success"


def test_an_input_that_the_action_does_not_have_is_a_warning(action: Path):
    result = step(action, "pass", inputs={"moed": "check"})

    assert result.warnings == ["Unexpected input(s) 'moed'"]


def test_a_step_that_does_not_end_is_stopped(action: Path):
    with pytest.raises(TimeoutError, match="started"):
        step(action, "print('started', flush=True); import time; time.sleep(60)", timeout=1)


def test_annotations_are_the_commands_of_their_level(action: Path):
    result = step(action, "print('::error file=a::x'); print('::notice::y'); print('::group::z')")

    assert [found.name for found in result.annotations()] == ["error", "notice"]
    assert [found.data for found in result.annotations("error")] == ["x"]


def test_paths_of_the_runner_are_translated_for_the_container(tmp_path: Path):
    layout = Layout(tmp_path / "temp", tmp_path / "ws")

    assert layout.inside(str(tmp_path / "ws")) == "/github/workspace"
    assert layout.inside(str(tmp_path / "ws" / "a.md")) == "/github/workspace/a.md"
    assert layout.inside(str(tmp_path / "wsx")) == str(tmp_path / "wsx")
    assert layout.inside(str(layout.file("output"))).startswith("/github/file_commands/set_output_")
    assert layout.inside(str(tmp_path / "temp" / "x")) == "/github/runner_temp/x"


def test_inputs_as_arguments_are_refused(action: Path):
    text = ACTION.replace("image: Dockerfile", 'image: Dockerfile, args: ["${{ inputs.mode }}"]')
    (action / "action.yml").write_text(text)

    with pytest.raises(ValueError, match="args"):
        read_action(action)


def test_a_step_in_a_container_needs_an_image(action: Path):
    with pytest.raises(ValueError, match="image"):
        step(action, "pass", engine=Engine("podman"))
