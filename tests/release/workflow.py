"""A workflow's jobs in their order: shell lines are run as they stand, actions by stand-ins."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from tests.container.grammar import parse_pairs

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
# What an action does, given its `with:` and the job's folder; returns the step's outputs.
StandIn = Callable[[Mapping[str, str], Path], Mapping[str, str]]


class StepError(RuntimeError):
    """A step ended with another code than 0; the message holds what it printed."""


@dataclass
class Runner:
    """Runs one workflow.

    Attributes:
        folder: Where the jobs' folders are made.
        variables: What every step finds in its environment.
        values: Expressions by their text, ``github.ref_name``; outputs are added as they come.
        actions: Stand-ins by the action's name, ``actions/checkout``.
        lines: Stand-ins for shell lines that are not run here, by the whole text.
    """

    folder: Path
    variables: Mapping[str, str]
    values: dict[str, str]
    actions: Mapping[str, StandIn]
    lines: Mapping[str, StandIn] = field(default_factory=dict)

    def run(self, workflow: Mapping[str, Any]) -> None:
        """Run every job after those that it needs.

        Raises:
            StepError: a step failed; nothing after it was run.
        """
        jobs = workflow["jobs"]
        needs = {name: job.get("needs", ()) for name, job in jobs.items()}
        for name in TopologicalSorter(needs).static_order():
            self._job(name, jobs[name])

    def _job(self, name: str, job: Mapping[str, Any]) -> None:
        folder = self.folder / "jobs" / name
        folder.mkdir(parents=True)
        for step in job["steps"]:
            started = time.monotonic()
            outputs = self._step(step, folder)
            shown = step.get("name") or step.get("uses", "a line").partition("@")[0]
            print(f"{name}: {shown} ({time.monotonic() - started:.0f} s)", flush=True)
            for key, value in outputs.items():
                self.values[f"steps.{step.get('id')}.outputs.{key}"] = value
        for key, text in job.get("outputs", {}).items():
            self.values[f"needs.{name}.outputs.{key}"] = self.fill(text)

    def _step(self, step: Mapping[str, Any], folder: Path) -> Mapping[str, str]:
        if "uses" in step:
            action = step["uses"].partition("@")[0]
            given = {key: self.fill(str(value)) for key, value in step.get("with", {}).items()}
            return self.actions[action](given, folder)
        text = step["run"]
        if text in self.lines:
            return self.lines[text]({}, folder)
        env = {key: self.fill(value) for key, value in step.get("env", {}).items()}
        return self.shell(self.fill(text), folder, env)

    def shell(self, text: str, folder: Path, env: Mapping[str, str]) -> Mapping[str, str]:
        """Run shell lines as GitHub does by default, ``bash -e``, and return their outputs."""
        told = self.folder / "output"
        told.write_text("")
        done = subprocess.run(
            ["bash", "-e", "-c", text],
            cwd=folder,
            env={**os.environ, **self.variables, **env, "GITHUB_OUTPUT": str(told)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise StepError(f"exit {done.returncode}\n{text}\n{done.stdout}")
        outputs, wrong = parse_pairs(told.read_text("utf-8"))
        if wrong is not None:
            raise StepError(f"{text}\n{wrong}")
        return outputs

    def fill(self, text: str) -> str:
        """Return a text with its expressions filled in.

        Raises:
            KeyError: an expression is none of ``values``.
        """
        return _EXPRESSION.sub(lambda found: self.values[found[1]], text)
