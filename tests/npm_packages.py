"""Packages of npm that tests judge by, installed once for each set of versions."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


def packages(package: Path, *, what: str) -> Path:
    """Return the folder ``node_modules`` of a ``package.json``.

    Skips the test where node is missing; in CI that is a failure.

    Args:
        what: What they are for, in the reason of a skip.
    """
    if shutil.which("node") is None or shutil.which("npm") is None:
        without(f"node and npm are needed: they run {what}")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / f"ragate-tests-{hashlib.sha256(package.read_bytes()).hexdigest()[:12]}"
    if not folder.exists():
        _install(package, folder)
    return folder / "node_modules"


def _install(package: Path, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="ragate-tests-") as made:
        shutil.copy(package, made)
        command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
        done = subprocess.run(
            [*command, "--no-package-lock"],
            cwd=made, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        if done.returncode:
            without(f"npm install failed: {done.stderr[-300:]}")
        try:
            Path(made).rename(folder)
        except OSError:
            assert folder.exists()  # another process was faster
        else:
            Path(made).mkdir()


def without(reason: str) -> None:
    """Skip the test for want of something; in CI that is a failure."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
