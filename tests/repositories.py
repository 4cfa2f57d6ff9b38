"""Git repositories of tests."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as somebody, and return what it printed."""
    who = (
        "-c",
        "user.name=o",
        "-c",
        "user.email=o@example.org",
        "-c",
        "commit.gpgsign=false",
    )
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, message: str = "a state") -> None:
    """Commit all that a folder holds."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
