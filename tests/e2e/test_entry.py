"""The frame round a whole command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ragate.process import limit_blas_threads
from tests.e2e.command import CLEAN, RAGATE
from tests.e2e.ending_commands import ended
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("body", ["os.abort()", "ctypes.string_at(0)"])
def test_a_crash_of_native_code_is_named_and_no_decision(body: str):
    done = ended(body)

    assert done.returncode == 3
    assert "Fatal Python error" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is of Linux")
def test_out_of_memory_anywhere_is_never_a_failed_gate(tmp_path: Path):
    project = ReplayProject(tmp_path)
    project.record(right)
    codes: dict[int, int | None] = {}
    for megabytes in (30, 100, 110, 130, 140, 160):
        try:
            codes[megabytes] = subprocess.run(
                ["prlimit", f"--as={megabytes}000000", RAGATE, "check"],
                cwd=tmp_path,
                env=CLEAN,
                capture_output=True,
                check=False,
                timeout=60,
            ).returncode
        except subprocess.TimeoutExpired:
            # Python waits for ever for a thread of its own that got no memory to begin.
            codes[megabytes] = None

    assert set(codes.values()) <= {3, None}, codes
    assert list(codes.values()).count(None) <= 1, codes


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
