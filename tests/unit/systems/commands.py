"""Programs that answer questions, as commands under test."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ragate.models import SystemOutput
from tests.factories import sample_factory
from tests.unit.systems.using import ask

LOOP = """
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    query = request["query"]
    {body}
    print(json.dumps({reply}), flush=True)
"""


ECHO = '{"answer": query}'


def program(root: Path, body: str = "pass", reply: str = ECHO, *, first: str = "") -> list[str]:
    """Write a script that answers and return how to start it."""
    path = root / "rag.py"
    path.write_text(f"{first}\n{LOOP.format(body=body, reply=reply)}")
    return [sys.executable, "rag.py"]


def answers(
    root: Path, command: list[str], queries: list[str], *, timeout_s: float = 20.0, **more: Any
) -> list[SystemOutput]:
    settings = more.pop("settings", {})
    samples = [sample_factory(f"q{n}", query=query) for n, query in enumerate(queries)]
    return ask(
        "command",
        {"command": command, **settings},
        root,
        samples=samples,
        timeout_s=timeout_s,
        **more,
    )
