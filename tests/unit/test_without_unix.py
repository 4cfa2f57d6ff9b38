"""Modules and functions that only Unix has are looked for where they are used, or done without.

Nothing was run on Windows: this blocks what Python has not there, and leaves the rest as it is.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.projects import ReplayProject

NAMES = (
    *("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK"),
    *("chown", "fchmod", "fork", "geteuid", "getuid", "killpg", "mkfifo", "setsid"),
)
UNIX = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
BLOCKED = f"""\
import sys
for name in {UNIX!r}:
    sys.modules[name] = None  # an import of it is an ImportError, as where there is none
import os
for name in {NAMES!r}:
    delattr(os, name)
"""
IMPORT_ALL = (
    BLOCKED
    + """\
import pkgutil, importlib, ragate
names = [one.name for one in pkgutil.walk_packages(ragate.__path__, "ragate.")]
for name in names:
    # The mcp package asks the platform's name what it may import, and this is not Windows.
    if not name.endswith("__main__") and not name.startswith("ragate.systems.mcp."):
        importlib.import_module(name)
print(len(names))
"""
)
GATE = (
    BLOCKED
    + """\
from pathlib import Path
from ragate.cache.file import open_database
from ragate.cli.main import run
open_database(Path("cache.sqlite"), say=print).close()
print([run(arguments) for arguments in (["baseline", "update"], ["check"])])
"""
)


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_every_module_can_be_imported(tmp_path: Path) -> None:
    ended = run(IMPORT_ALL, tmp_path)

    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout.split()[-1]) > 400


def test_a_gate_on_recorded_outputs_comes_to_its_verdict(tmp_path: Path) -> None:
    ReplayProject(tmp_path, samples=8)

    ended = run(GATE, tmp_path)

    assert ended.stdout.splitlines()[-1] == "[0, 0]", ended.stdout + ended.stderr
