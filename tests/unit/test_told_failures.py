"""A test that fails is told, whatever is left open meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FAILING = """
import gc
import pytest

class Left:
    def __del__(self):
        raise ValueError("left open")

@pytest.mark.parametrize("allocations", [1000, 2000, 4000, 6000, 9000, 14000, 20000])
def test_x(allocations):
    gc.collect()
    left = Left()
    left.itself = left
    del left
    gc.set_threshold(allocations)  # of which one falls while the source below is parsed
    assert False

""" + "\n".join(f"def f{number}(a, b): return [a, b, (a + b) * {number}]" for number in range(800))


def test_a_destructor_that_fails_while_a_failure_is_told_ends_no_session(tmp_path: Path):
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_runtest_makereport\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_failing.py").write_text(FAILING)

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert "7 failed" in done.stdout
    assert "INTERNALERROR" not in done.stdout
