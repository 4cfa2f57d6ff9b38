"""The name of a gate: its own among all gates of the repository."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragate.cli.init.survey import Survey
from ragate.cli.workflows import WorkflowGate, gates_of, workflow_texts
from ragate.config import CONFIG_NAME
from ragate.support.find_files import files_named
from ragate.support.foreign_files import start_of

_GATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
MAX_BYTES = 1024 * 1024


def gate_name(survey: Survey) -> str:
    """Return the name in its workflows; else one that no other gate has: the folder's, if free."""
    own = survey.root.relative_to(survey.top).as_posix()
    named = [gate.name for gate in _in_workflows(survey) if gate.folder == own and gate.in_checkout]
    if name := next(filter(None, named), ""):
        return name
    taken = set(other_gates(survey))
    parts = survey.root.relative_to(survey.top).parts or (survey.root.name,)
    for count in range(1, len(parts) + 1):
        name = "-".join(parts[-count:])
        if _GATE.fullmatch(name) and name not in taken:
            return name
    numbered = (f"rag{number}" for number in range(1, 1000))
    return next(name for name in ("rag", *numbered) if name not in taken)


def other_gates(survey: Survey) -> Iterator[str]:
    """Yield the names that other configurations and workflows of the repository use."""
    for path in files_named(CONFIG_NAME, survey.top):
        if path.parent != survey.root:
            yield from _configured(path)
    own = survey.root.relative_to(survey.top).as_posix()
    yield from (gate.name for gate in _in_workflows(survey) if gate.name and gate.folder != own)


def _in_workflows(survey: Survey) -> Iterator[WorkflowGate]:
    for _, text in workflow_texts(survey.top):
        yield from gates_of(text)


def _configured(path: Path) -> Iterator[str]:
    """Yield the names that one configuration may be known by: its own, and its folder's."""
    try:
        tables: dict[str, Any] = tomllib.loads(start_of(path, MAX_BYTES))
    except (ValueError, RecursionError):
        tables = {}
    policy = tables.get("policy")
    gate = policy.get("gate") if isinstance(policy, dict) else ""
    yield gate if isinstance(gate, str) and gate else path.parent.name
