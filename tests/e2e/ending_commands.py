"""Commands that end in unusual ways."""

from __future__ import annotations

import subprocess
import sys

from tests.e2e.command import CLEAN

END_WITH = """
import ctypes, os, sys
from ragate.process import end_with

def command():
    {body}
    return {code}

end_with(command)
"""


def ended(body: str = "pass", code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command that does `body` and returns `code`."""
    script = END_WITH.format(body=body, code=code)
    return subprocess.run(
        [sys.executable, "-c", script], env=CLEAN, capture_output=True, text=True, check=False
    )
