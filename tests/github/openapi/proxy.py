"""The npm packages of the tests, and the proxy that holds both sides to a description."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_PACKAGE = Path(__file__).with_name("package.json")
_START_S = 30.0
_LISTENING = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")


def packages() -> Path:
    """Return the folder ``node_modules``; it is installed once for each set of versions.

    Skips the test where node is missing; in CI that is a failure.
    """
    if shutil.which("node") is None or shutil.which("npm") is None:
        _without("node and npm are needed: they run the judge of GitHub's API")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / f"ragate-tests-{hashlib.sha256(_PACKAGE.read_bytes()).hexdigest()[:12]}"
    if not folder.exists():
        _install(folder)
    return folder / "node_modules"


def _install(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="ragate-tests-") as made:
        shutil.copy(_PACKAGE, made)
        command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
        done = subprocess.run(
            [*command, "--no-package-lock"],
            cwd=made, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        if done.returncode:
            _without(f"npm install failed: {done.stderr[-300:]}")
        try:
            Path(made).rename(folder)
        except OSError:
            assert folder.exists()  # another process was faster
        else:
            Path(made).mkdir()


def _without(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def judging_proxy(modules: Path, description: Path, upstream: str) -> Iterator[str]:
    """Yield the address of a proxy before `upstream` that refuses what `description` forbids."""
    log = description.with_suffix(".log")
    command = ["node", str(modules / ".bin" / "prism"), "proxy", "--errors", "--port", "0"]
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, str(description), upstream],
            stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        yield _address(process, log)
    finally:
        process.terminate()
        process.wait(timeout=10)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(int(_START_S * 10)):
        found = _LISTENING.search(log.read_text())
        if found:
            return found[1]
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        break
    pytest.fail(f"the proxy did not start: {log.read_text()[-500:]}")
