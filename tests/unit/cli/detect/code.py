"""Projects as strangers write them, for the tests of this folder."""

from __future__ import annotations

import textwrap
from pathlib import Path

from ragate.cli.detect.candidate import RagCandidate


def project(root: Path, **files: str) -> Path:
    """Write modules by name, ``app__rag`` for app/rag.py, and two documents below kb/."""
    for name, code in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(code))
    for page in ("billing/refunds.md", "README.md"):
        (root / "kb" / page).parent.mkdir(parents=True, exist_ok=True)
        (root / "kb" / page).write_text("# Page\n\nText.\n")
    return root


def only(found: list[RagCandidate]) -> RagCandidate:
    assert len(found) == 1, found
    return found[0]
