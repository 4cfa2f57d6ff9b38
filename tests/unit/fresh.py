"""Code in an interpreter that has imported nothing yet."""

from __future__ import annotations

import subprocess
import sys


def printed(code: str) -> list[str]:
    """Return the words that the code prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()
