"""What starts fast: the help loads nothing heavy, and a check only what is configured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command import CLEAN
from tests.projects import ReplayProject, write_docs_project

pytestmark = pytest.mark.e2e

HEAVY = ("numpy", "psycopg", "openai", "llama_index", "jinja2", "pgvector", "httpx2", "pydantic")
# Each belongs to a key that a replayed gate without a judge does not have.
UNCONFIGURED = (
    *("httpx2", "openai", "yaml", "psycopg", "jinja2", "ragate.clients.http", "ragate.judges"),
    *("ragate.executors.executor", "ragate.scoring.judging"),
    *("ragate.contrib.recorder.proxy.recorder", "ragate.contrib.run_store.connect"),
    "ragate.systems.http",
)
LIST_MODULES = """
import sys
from ragate.cli.main import run
code = run({arguments!r})
print("MODULES", *sorted(sys.modules))
sys.exit(code)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_no_heavy_module(arguments: list[str]):
    loaded = modules_of(arguments)

    assert "click" in loaded
    assert not set(HEAVY) & loaded


def test_a_check_of_recorded_outputs_without_a_judge_loads_what_it_needs(tmp_path: Path):
    ReplayProject(tmp_path)
    modules_of(["baseline", "update"], tmp_path)

    loaded = modules_of(["check"], tmp_path)

    assert "ragate.core.comparison.compare" in loaded
    assert not set(UNCONFIGURED) & loaded


def test_what_asks_needs_nothing_of_what_decides():
    code = "import sys, ragate.run.one_run; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout

    assert "ragate.scoring.scorer" in loaded
    assert not {"numpy", "ragate.gate.gate_report"} & set(loaded.split())


UNASKED = ("opentelemetry", "onnxruntime", "procrastinate")


def test_a_check_imports_nothing_of_what_is_not_configured(tmp_path: Path):
    write_docs_project(tmp_path)
    command = [sys.executable, "-X", "importtime", "-m", "ragate"]
    for arguments in (["baseline", "update", "--runs", "1"], ["check"]):
        done = subprocess.run(
            [*command, *arguments],
            cwd=tmp_path,
            env=CLEAN,
            capture_output=True,
            text=True,
            check=True,
        )

    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "ragate.core.decision" in imported
    assert not {name for name in imported if name.partition(".")[0] in UNASKED}


def modules_of(arguments: list[str], folder: Path | None = None) -> set[str]:
    """Return the modules that a command that ends well has loaded."""
    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return set(done.stdout.rpartition("MODULES ")[2].split())
