"""What a person says of a run, so that it is found again: it decides nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.errors import UsageError
from ragate.repository import git

if TYPE_CHECKING:
    from ragate.models import RunManifest

MOST_KEYS = 50
MOST_CHARS = 1000
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True)
class RunLabels:
    """What is noted with a run.

    Attributes:
        meta: Key -> value, of ``--meta``.
        description: Of ``--description``.
    """

    meta: Mapping[str, str] = field(default_factory=dict)
    description: str = ""


def read_labels(meta: Sequence[str], description: str, *, names: tuple[str, str]) -> RunLabels:
    """Return what KEY=VALUE texts and a sentence say.

    Args:
        names: What messages call the two.

    Raises:
        UsageError: as of `read_meta`, or the sentence is too long or no text.
    """
    return RunLabels(read_meta(meta, name=names[0]), _bounded(names[1], description))


def read_meta(texts: Sequence[str], *, name: str = "--meta") -> dict[str, str]:
    """Return what KEY=VALUE texts say, in their order.

    Raises:
        UsageError: a text is none or not UTF-8, a key stands twice, or there is too much.
    """
    meta: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not _KEY.fullmatch(key):
            raise UsageError(
                f"{name} {text!r}: not KEY=VALUE",
                remedy="a key is letters, digits, _ . and -, at most 64: ticket=RAG-17",
            )
        if key in meta:
            raise UsageError(f"{name} {key} is given twice", remedy="give every key one value")
        meta[key] = _bounded(f"{name} {key}", value)
    if len(meta) > MOST_KEYS:
        raise UsageError(f"{len(meta)} {name}, and the limit is {MOST_KEYS}")
    return meta


def _bounded(name: str, text: str) -> str:
    if len(text) > MOST_CHARS:
        raise UsageError(f"{name}: {len(text)} characters, and the limit is {MOST_CHARS}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{name} {text!r}: not UTF-8", remedy="write it in UTF-8, as the terminal's locale says"
        ) from error
    return text


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
