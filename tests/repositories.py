"""Git repositories of tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

# Nothing is tidied up afterwards: that is a process more for every commit.
_SETTINGS = (
    "user.name=o",
    "user.email=o@example.org",
    "commit.gpgsign=false",
    "maintenance.auto=false",
)


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as somebody, and return what it printed."""
    command = ["git", *(part for setting in _SETTINGS for part in ("-c", setting)), *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, message: str = "a state") -> None:
    """Commit all that a folder holds."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
