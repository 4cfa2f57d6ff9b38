"""The hooks of pre-commit are what `make lint` runs, with the project's own tools."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.workflows.blocks import ROOT

CONFIG = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
HOOKS = [hook for repository in CONFIG["repos"] for hook in repository["hooks"]]
PYTHON = ".venv/bin/python -m "


def lint_commands() -> set[str]:
    """Return what the target fails for, without the interpreter and the folder."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (recipe,) = re.findall(r"(?m)^lint:.*\n((?:\t.*\n)+)", makefile)
    commands = {line.partition(" -m ")[2].removesuffix(" .") for line in recipe.splitlines()}
    return commands - {"tools.house"}  # prints figures, and fails for none


def test_the_hooks_are_the_commands_of_make_lint() -> None:
    entries = [hook["entry"].removesuffix(" --force-exclude") for hook in HOOKS]

    assert {entry.removeprefix(PYTHON) for entry in entries} == lint_commands()
    assert all(entry.startswith(PYTHON) for entry in entries)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_needs_no_network(hook: dict[str, str]) -> None:
    assert {repository["repo"] for repository in CONFIG["repos"]} == {"local"}
    assert hook["language"] == "system"
    assert "additional_dependencies" not in hook
