"""The workflows of `ragate init`, as the manual shows them."""

from __future__ import annotations

from ragate.cli.init.action_workflows import action_gaps
from ragate.cli.init.config_text import Choice
from ragate.cli.init.templates import written
from ragate.cli.workflows import PLACEHOLDER

RAG = Choice("python", "", packages="--requirement requirements.txt")


def manual_workflow(name: str, *, gate: str = "docs") -> str:
    """Return a workflow with all that any system may need: a key, a database, code."""
    gaps = action_gaps(RAG, gate=gate, commit=PLACEHOLDER, shards=4)
    gaps |= {"provider_keys": ["OPENAI_API_KEY"], "database": True, "code": True}
    return written(
        f"workflows/{name}.yml", {**gaps, "main": "main", "suffix": "", "trusted": False}
    )
