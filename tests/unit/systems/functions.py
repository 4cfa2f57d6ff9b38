"""Functions of a project, as systems under test."""

from __future__ import annotations

from pathlib import Path

from tests.unit.systems.using import ask, module

PLAIN = """
def answer(query):
    return {"answer": query.upper(), "chunks": [{"doc_id": "a.md", "text": "A", "score": 0.5}]}
"""


def one(root: Path, code: str, name: str = "answer", *, live: bool = True, **settings: object):
    """Return the output for one sample; `live`: of code in this process, which costs no worker."""
    target = f"{module(root, code)}:{name}"
    return ask("python", {"target": target, **settings}, root, live=live)[0]
