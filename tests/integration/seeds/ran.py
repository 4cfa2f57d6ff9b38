"""Running a row's command in its project, once for all rows that show the same command."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.seeds.projects import PROJECTS
from tests.servers.collector import Collector

AND = " && "
WRITES = ("--output", "--save-outputs")
_SET = re.compile(r"[A-Z_]+=")


@dataclass(frozen=True)
class Ran:
    """What came of a command.

    Attributes:
        code: Its exit code; of several commands that of the last.
        text: All that it printed, the files that it was told to write, and what a collector
            received.
        reports: The JSON among these files, by name.
    """

    code: int
    text: str
    reports: dict[str, Any]

    @property
    def report(self) -> dict[str, Any]:
        """Return the only JSON that was written."""
        (found,) = self.reports.values()
        return dict(found)

    def question(self, sample_id: str) -> dict[str, Any]:
        """Return a question of the report."""
        (found,) = [each for each in self.report["questions"] if each["sample_id"] == sample_id]
        return dict(found)

    def value(self, sample_id: str, metric: str) -> Any:
        """Return what a question scored."""
        return self.question(sample_id)["scores"][metric]["value"]


@dataclass
class Seeds:
    """Projects that are built once, and commands that are run once.

    Attributes:
        folder: Where they are.
        url: The models' address.
        seen, by_grpc: What collects telemetry, and the same by the other protocol.
    """

    folder: Path
    url: str
    seen: Collector
    by_grpc: Collector
    _ran: dict[tuple[str, str], Ran] = field(default_factory=dict)

    def ran(self, project: str, command: str) -> Ran:
        """Return what came of a command in a fresh copy of a project."""
        key = project, command
        if key not in self._ran:
            place = self.folder / f"run-{len(self._ran)}"
            shutil.copytree(self._built(project), place)
            with in_folder(place):
                came = _run(command)
            told = f"{came.text}\nreceived: {_names(self.seen)}"
            told += f"\nreceived by gRPC: {_names(self.by_grpc)}"
            self._ran[key] = replace(came, text=told)
        return self._ran[key]

    def _built(self, project: str) -> Path:
        place = self.folder / project
        if not place.exists():
            place.mkdir()
            with in_folder(place):
                PROJECTS[project](self.url)
        return place


def _names(seen: Collector) -> str:
    names = [each.name for each in (*seen.spans, *seen.metrics)]
    return " ".join(sorted({*names, *(each.event_name for each in seen.events)}))


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _run(command: str) -> Ran:
    """Run commands one after another, as a shell does with ``&&`` whatever their codes are."""
    code, printed, files = 0, "", []
    for each in command.split(AND):
        words = shlex.split(each)
        files += [words[at + 1] for at, word in enumerate(words) if word in WRITES]
        code, told = _python(each) if each.startswith("import ") else _command(words)
        printed += told
    texts = {name: Path(name).read_text("utf-8") for name in files if Path(name).is_file()}
    reports = {n: json.loads(text) for n, text in texts.items() if n.endswith(".json")}
    return Ran(code, "\n".join([re.sub(r"\s+", " ", printed), *texts.values()]), reports)


def _command(words: list[str]) -> tuple[int, str]:
    printed = io.StringIO()
    variables = dict(_set(word) for word in itertools.takewhile(_SET.match, words))
    words = words[len(variables) :]
    if words[0] == "ragate":
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            for name, value in variables.items():
                patch.setenv(name, value)
                if name == "PYTHONPATH":
                    patch.syspath_prepend(str(Path(value).resolve()))
            return run(words[1:]), printed.getvalue()
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout + done.stderr


def _set(word: str) -> tuple[str, str]:
    """Return a variable that a command sets before its first word, as a shell does."""
    name, _, value = word.partition("=")
    return name, os.path.expandvars(value)


def _python(code: str) -> tuple[int, str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<row>", "exec"), {})
    return 0, printed.getvalue()
