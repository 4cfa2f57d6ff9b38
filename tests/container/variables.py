"""The variables and files that the GitHub runner gives a container action."""

from __future__ import annotations

import functools
import json
import os
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

# File command -> prefix of its file.
FILES = {
    "output": "set_output_",
    "env": "set_env_",
    "state": "save_state_",
    "path": "add_path_",
    "step_summary": "step_summary_",
}
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@dataclass(frozen=True)
class Action:
    """What action.yml says, as far as the runner needs it."""

    inputs: Mapping[str, Mapping[str, Any]]
    outputs: Mapping[str, Mapping[str, Any]]
    runs: Mapping[str, Any]

    @property
    def entrypoint(self) -> str | None:
        return self.runs.get("entrypoint")

    def unexpected(self, given: Mapping[str, str]) -> list[str]:
        """Return the runner's warnings on inputs that action.yml does not declare."""
        known = {name.lower() for name in self.inputs}
        return [f"Unexpected input(s) '{name}'" for name in given if name.lower() not in known]

    def values(self, given: Mapping[str, str], token: str) -> dict[str, str]:
        """Return every input's value: the given one, or the default with its expressions filled."""
        values = {
            name.lower(): _filled(str(spec.get("default", "")), token)
            for name, spec in self.inputs.items()
        }
        return values | {name.lower(): value for name, value in given.items()}


@functools.cache
def read_action(folder: Path) -> Action:
    """Return the action of a folder.

    Raises:
        ValueError: it is no container action, or hands inputs to ``args``.
    """
    found = yaml.safe_load((folder / "action.yml").read_text("utf-8"))
    runs = found["runs"]
    if runs.get("using") != "docker":
        raise ValueError("only container actions are modelled")
    if runs.get("args") or runs.get("env"):
        raise ValueError(
            "args and env of action.yml are not modelled: inputs reach us as variables"
        )
    return Action(found.get("inputs") or {}, found.get("outputs") or {}, runs)


def _filled(template: str, token: str) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] == "github.token":
            return token
        raise ValueError(f"this expression is not modelled: {match[1]}")

    return _EXPRESSION.sub(value, template)


def input_variable(name: str) -> str:
    """Return the variable of an input: upper case, spaces to ``_``; a hyphen stays."""
    return "INPUT_" + name.replace(" ", "_").upper()


@dataclass
class Layout:
    """The runner's folders of one step, and where a container sees them."""

    temp: Path
    workspace: Path
    suffix: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def home(self) -> Path:
        return self.temp / "_github_home"

    @property
    def workflow(self) -> Path:
        return self.temp / "_github_workflow"

    @property
    def commands(self) -> Path:
        return self.temp / "_runner_file_commands"

    def file(self, kind: str) -> Path:
        return self.commands / (FILES[kind] + self.suffix)

    def create(self, event: Mapping[str, Any]) -> None:
        for folder in (self.home, self.workflow, self.commands):
            folder.mkdir(parents=True)
        (self.workflow / "event.json").write_text(json.dumps(event), encoding="utf-8")
        for kind in FILES:
            self.file(kind).touch()

    def read(self, kind: str) -> str:
        return self.file(kind).read_bytes().decode("utf-8", "replace")

    def _mounted(self) -> tuple[tuple[Path, str], ...]:
        return (
            (self.home, "/github/home"),
            (self.workflow, "/github/workflow"),
            (self.commands, "/github/file_commands"),
            (self.workspace, "/github/workspace"),
            (self.temp, "/github/runner_temp"),
        )

    def mounts(self) -> list[str]:
        return [f"{outside}:{inside}" for outside, inside in self._mounted()]

    def inside(self, value: str) -> str:
        """Return a variable's value as the container gets it: known paths translated."""
        for outside, place in self._mounted():
            if value == str(outside) or value.startswith(f"{outside}/"):
                return place + value[len(str(outside)) :]
        return value


def step_variables(
    action: Action,
    layout: Layout,
    *,
    given: Mapping[str, str],
    env: Mapping[str, str],
    context: Mapping[str, str],
    token: str,
) -> dict[str, str]:
    """Return the variables of a step with the paths of this machine.

    ``GITHUB_TOKEN`` is not among them: a container action gets the token as an input only.
    """
    known = {
        "action": "__self",
        "event_path": str(layout.workflow / "event.json"),
        "graphql_url": context["api_url"].rstrip("/") + "/graphql",
        "job": "gate",
        "ref_name": context["ref"].removeprefix("refs/pull/").removeprefix("refs/heads/"),
        "ref_type": "branch",
        "repository_owner": context["repository"].partition("/")[0],
        "run_number": "1",
        "server_url": "https://github.com",
        "triggering_actor": context["actor"],
        "workflow": "gate",
        "workspace": str(layout.workspace),
        "head_ref": "",
        "base_ref": "",
        **{kind: str(layout.file(kind)) for kind in FILES},
    }
    return {
        **env,
        **{input_variable(name): value for name, value in action.values(given, token).items()},
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "HOME": str(layout.home),
        "RUNNER_OS": "Linux",
        "RUNNER_ARCH": "X64",
        "RUNNER_TEMP": str(layout.temp),
        **{f"GITHUB_{name.upper()}": value for name, value in {**known, **context}.items()},
    }


def give_to_runner(workspace: Path) -> Path:
    """Give a checkout to the account that GitHub's runner has; it is not the container's root.

    Who is not root here is another account than the container's already.
    """
    if os.geteuid() == 0:
        for path in (workspace, *workspace.rglob("*")):
            os.lchown(path, 1001, 121)
    return workspace
