"""What an editor and a shell ask the command for."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.e2e.command import CLEAN, RAGATE

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]


def test_the_schema_needs_no_configuration(tmp_path: Path):
    done = subprocess.run(
        [RAGATE, "schema"], cwd=tmp_path, env=CLEAN, capture_output=True, check=True
    )

    assert json.loads(done.stdout)["title"] == "ragate.toml"


@pytest.mark.parametrize(
    ("typed", "offered"), [("ragate base", "baseline"), ("ragate check --prof", "--profile")]
)
def test_the_shell_completes_commands_and_options(tmp_path: Path, typed: str, offered: str):
    environment = {
        **CLEAN,
        "_RAGATE_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = subprocess.run(
        [RAGATE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert f"plain,{offered}" in done.stdout.splitlines()
    assert done.returncode == 0
    assert done.stderr == ""  # the shell would show it in the middle of what is typed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(tmp_path: Path, shell: str):
    environment = {**CLEAN, "_RAGATE_COMPLETE": f"{shell}_source"}
    done = subprocess.run(
        [RAGATE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert "_RAGATE_COMPLETE" in done.stdout
    assert done.returncode == 0
    assert done.stderr == ""


def test_the_hook_for_others_names_a_command_that_is_there(tmp_path: Path):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    command = hook["entry"].split()

    done = subprocess.run(
        [RAGATE, *command[1:]], cwd=tmp_path, env=CLEAN, capture_output=True, text=True, check=False
    )

    assert command[0] == "ragate"
    assert done.returncode == 2
    assert "there is no ragate.toml" in done.stderr
