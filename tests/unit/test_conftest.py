"""The tests run in any clone, with pytest-xdist and without it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import forget
from tools.house import ROOT


def test_modules_of_other_temporary_folders_are_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"of_a_clone_9f3c", "of_a_test_9f3c"}
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").touch()
        monkeypatch.syspath_prepend(tmp_path / name)
        importlib.import_module(name)

    forget(names, below=tmp_path / "of_a_test_9f3c")

    assert names & set(sys.modules) == {"of_a_clone_9f3c"}
    forget({"of_a_clone_9f3c"}, below=tmp_path)
    assert not names & set(sys.modules)


def test_the_tests_are_collected_without_xdist() -> None:
    words = ["-m", "pytest", "-q", "-p", "no:xdist", "--collect-only", "tests/unit/test_house.py"]

    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
