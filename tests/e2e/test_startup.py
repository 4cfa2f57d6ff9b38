"""What starts fast: the help loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.e2e

HEAVY = ("numpy", "psycopg", "openai", "llama_index", "jinja2", "pgvector", "httpx", "pydantic")
LIST_MODULES = """
import sys
from ragate.cli.main import run
code = run({arguments!r})
print("MODULES", *sorted({{name.partition(".")[0] for name in sys.modules}}))
sys.exit(code)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_no_heavy_module(arguments: list[str]):
    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=True,
    )

    loaded = done.stdout.rpartition("MODULES ")[2].split()
    assert "click" in loaded
    assert not set(HEAVY) & set(loaded)
