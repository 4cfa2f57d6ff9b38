"""The installed command, as a user starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.servers.forks import CAN_FORK, ForkedProcess, run
from tests.servers.forks import start as forked

RAGATE = str(Path(sys.executable).with_name("ragate"))
# Nothing of the caller's gate may leak into the one under test.
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("RAGATE_")}


def ragate(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 400
) -> subprocess.CompletedProcess[str]:
    """Run ``ragate`` in `folder` and return what it printed and its exit code."""
    variables = {**CLEAN, **(env or {})}
    if CAN_FORK:
        return run("ragate", arguments, folder=folder, variables=variables, timeout=timeout)
    return subprocess.run(
        [RAGATE, *arguments],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def unheard(
    folder: Path, *arguments: str, variables: Mapping[str, str] = CLEAN
) -> ForkedProcess | subprocess.Popen[bytes]:
    """Start ``ragate`` in `folder` without waiting for it, and let nobody hear what it says.

    Args:
        variables: Its whole environment.
    """
    null = subprocess.DEVNULL
    if CAN_FORK:
        with Path(os.devnull).open("wb") as nothing:
            told = nothing.fileno()
            return forked("ragate", arguments, folder=folder, variables=variables, stdout=told)
    return subprocess.Popen(
        [RAGATE, *arguments], cwd=folder, env=variables, stdout=null, stderr=null
    )


def start(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start ``ragate`` in `folder` without waiting for it."""
    return subprocess.Popen(
        [RAGATE, *arguments],
        cwd=folder,
        env={**CLEAN, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
