"""What a person says of a run, so that it is found again: it decides nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.models import RunManifest
from ragate.support import git


@dataclass(frozen=True)
class RunLabels:
    """What is noted with a run.

    Attributes:
        meta: Key -> value, of ``--meta``.
        description: Of ``--description``.
    """

    meta: Mapping[str, str] = field(default_factory=dict)
    description: str = ""


def branch_of(environment: Mapping[str, str], root: Path) -> str:
    """Return the branch that is run, "" where it has no name.

    A job of GitHub's has no branch checked out: there its variables name it.
    """
    if head := environment.get("GITHUB_HEAD_REF", ""):
        return head
    if environment.get("GITHUB_REF_TYPE") == "branch":
        return environment.get("GITHUB_REF_NAME", "")
    return git.branch(root)


def noted(manifest: RunManifest, labels: RunLabels, *, branch: str = "") -> RunManifest:
    """Return the manifest with what is noted now; what is not named stays as it was."""
    fields: dict[str, Any] = {"branch": branch} if branch else {}
    fields |= {"meta": dict(labels.meta)} if labels.meta else {}
    fields |= {"description": labels.description} if labels.description else {}
    return manifest.amended(**fields) if fields else manifest
