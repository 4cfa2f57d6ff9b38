"""What a worker is to be started with is looked at before it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragate.cli.finding import Status
from tests.unit.cli.doctor.doctor_factories import checks

KEY = """
[policy.providers.openai]
base_url = "http://127.0.0.1:9/v1"
key_env = "JUDGE_KEY"
[policy.judge]
use = "rubric"
provider = "openai"
model = "m"
"""


def with_system(project: Path, keys: str, policy: str = "") -> None:
    config = project / "ragate.toml"
    rules = config.read_text().partition("[system]")[0].replace('["replay"]', '["python"]')
    system = f'[system]\nuse = "python"\ntarget = "rag:answer"\n{keys}\n'
    config.write_text(f"{rules}{system}{policy}")


@pytest.mark.parametrize("program", [sys.executable, "sh", "bin/python"])
def test_an_interpreter_that_is_there_is_not_started(project: Path, program: str) -> None:
    (project / "bin").mkdir()
    (project / "bin/python").write_text("#!/bin/sh\ntouch started\n")
    (project / "bin/python").chmod(0o755)
    with_system(project, f'interpreter = ["{program}"]')

    (found,) = checks(project)["interpreter"]

    assert found.status is Status.OK
    assert not (project / "started").exists()


@pytest.mark.parametrize("program", [".venv/bin/python", "no-such-program", "ragate.toml", "."])
def test_one_that_is_not_there_is_a_problem(project: Path, program: str) -> None:
    with_system(project, f'interpreter = ["{program}", "-X", "dev"]')

    (found,) = checks(project)["interpreter"]

    assert found.exit_code == 3
    assert "is not there" in found.message


def test_variables_that_are_not_set_are_named_and_patterns_are_not(project: Path) -> None:
    with_system(project, 'interpreter = ["sh"]\npass_env = ["SET", "UNSET", "APP_*"]')

    _, found = checks(project, SET="x")["interpreter"]

    assert found.status is Status.WARNING
    assert "UNSET is not set" in found.message


def test_the_judges_key_is_a_problem(project: Path) -> None:
    with_system(project, 'interpreter = ["sh"]\npass_env = ["JUDGE_KEY"]', KEY)

    _, found = checks(project, JUDGE_KEY="k")["interpreter"]

    assert found.exit_code == 2
    assert "the judge's key" in found.message


def test_code_in_our_own_process_has_none_to_look_at(project: Path) -> None:
    with_system(project, "")

    assert "interpreter" not in checks(project)


def test_the_judges_key_is_a_problem_for_a_program_too(project: Path) -> None:
    with_system(project, "", KEY)
    config = project / "ragate.toml"
    command = 'use = "command"\ncommand = ["rag"]\npass_env = ["JUDGE_KEY"]'
    text = config.read_text().replace('use = "python"\ntarget = "rag:answer"', command)
    config.write_text(text.replace('["python"]', '["command"]'))

    found = checks(project, JUDGE_KEY="k")["system"][-1]

    assert found.exit_code == 2
    assert "the judge's key" in found.message
