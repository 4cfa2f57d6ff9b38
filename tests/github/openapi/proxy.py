"""The npm packages of the tests, and the proxy that holds both sides to a description."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.npm_packages import packages as installed

_PACKAGE = Path(__file__).with_name("package.json")
_START_S = 30.0
_LISTENING = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")


def packages() -> Path:
    """Return the folder ``node_modules``; skips the test where node is missing, but not in CI."""
    return installed(_PACKAGE, what="the judge of GitHub's API")


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
