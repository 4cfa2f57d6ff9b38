"""Only a verdict ends with 1: no native library, no crash and no unforeseen exception does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ragate.process.entry import limit_blas_threads
from tests.e2e.command import CLEAN, RAGATE
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.e2e

END_WITH = """
import ctypes, os, sys
from ragate.process.entry import end_with

def command():
    {body}
    return {code}

end_with(command)
"""


def ended(body: str = "pass", code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command that does `body` and returns `code`."""
    script = END_WITH.format(body=body, code=code)
    return subprocess.run(
        [sys.executable, "-c", script], env=CLEAN, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("code", [0, 1, 2, 3, 130])
def test_the_code_that_a_command_returns_is_the_process_own(code: int):
    assert ended(code=code).returncode == code


@pytest.mark.parametrize("code", [0, 1])
def test_a_native_library_that_calls_exit_decides_nothing(code: int):
    assert ended(f"ctypes.CDLL(None).exit({code})").returncode == 3


@pytest.mark.parametrize("code", [0, 1])
def test_an_exit_while_python_ends_changes_no_verdict(code: int):
    body = "import atexit; atexit.register(ctypes.CDLL(None).exit, 2)"

    assert ended(body, code=code).returncode == code


@pytest.mark.parametrize("body", ["raise ValueError", "sys.exit(1)", "sys.exit(0)"])
def test_what_leaves_the_frame_without_a_code_is_no_decision(body: str):
    assert ended(body).returncode == 3


@pytest.mark.parametrize("body", ["os.abort()", "ctypes.string_at(0)"])
def test_a_crash_of_native_code_is_named_and_no_decision(body: str):
    done = ended(body)

    assert done.returncode == 3
    assert "Fatal Python error" in done.stderr


def test_what_was_printed_is_there_after_the_end():
    assert ended("print('words', end='')").stdout == "words"


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is of Linux")
def test_out_of_memory_anywhere_is_never_a_failed_gate(tmp_path: Path):
    project = ReplayProject(tmp_path)
    project.record(right)
    codes = {}
    for megabytes in (30, 100, 110, 130, 150):
        done = subprocess.run(
            ["prlimit", f"--as={megabytes}000000", RAGATE, "check"],
            cwd=tmp_path,
            env=CLEAN,
            capture_output=True,
            check=False,
        )
        codes[megabytes] = done.returncode

    assert set(codes.values()) == {3}, codes


@pytest.mark.parametrize("module", ["ragate", "ragate.github"])
def test_a_library_that_exits_while_it_is_imported_is_no_decision(tmp_path: Path, module: str):
    (tmp_path / "pydantic.py").write_text("import ctypes; ctypes.CDLL(None).exit(1)")

    done = subprocess.run(
        [sys.executable, "-m", module, "check"],
        env={**CLEAN, "PYTHONPATH": str(tmp_path), "INPUT_MODE": "check"},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 3


def test_blas_gets_one_thread_unless_the_user_says_otherwise():
    unset: dict[str, str] = {}
    asked = {"OMP_NUM_THREADS": "4"}

    limit_blas_threads(unset)
    limit_blas_threads(asked)

    assert unset == {"OPENBLAS_NUM_THREADS": "1"}
    assert asked == {"OMP_NUM_THREADS": "4"}
