"""What must hold before a tag becomes a release; the release workflow runs it first.

    python -m tests.release.check v1.2.3      # does it fit the code, the changelog, the metrics?
    python -m tests.release.check --record    # write metric-versions.json anew

A metric's version says which formula gave a score, and scores of two versions do not compare. Who
takes every minor release must never find the baseline incomparable: versions change in a major
release only (before 1.0: in a minor one).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import ragate
from ragate import plugins
from ragate.errors import RagateError

ROOT = Path(__file__).parents[2]
RECORD = "tests/release/metric-versions.json"
_TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")


def metric_versions() -> dict[str, int]:
    """Return the version of every built-in metric."""
    return {
        name: _version(name)
        for name in plugins.names("metrics")
        if plugins.is_builtin("metrics", name)
    }


def _version(name: str) -> int:
    try:
        return plugins.metric(name).info.version
    except RagateError:
        return plugins.metric(f"{name}@5").info.version  # it wants a cut-off


def recorded(text: str) -> dict[str, int]:
    """Return the versions of the record."""
    found: dict[str, int] = json.loads(text)
    return found


def line(version: str) -> str:
    """Return the releases within which no metric changes: ``1``, or ``0.3`` before 1.0."""
    major, minor, _ = version.split(".")
    return major if major != "0" else f"0.{minor}"


def changed(before: Mapping[str, int], now: Mapping[str, int]) -> list[str]:
    """Return the metrics that are gone or have another version; a new metric changes nothing."""
    return [name for name in sorted(before) if now.get(name) != before[name]]


def problems(tag: str, *, root: Path = ROOT, previous: tuple[str, str] | None = None) -> list[str]:
    """Return what stands against releasing `tag`.

    Args:
        previous: The release before, and the record in it.
    """
    if not _TAG.fullmatch(tag):
        return [f"{tag} is no tag of a release: v1.2.3"]
    version = tag.removeprefix("v")
    now, record = metric_versions(), recorded((root / RECORD).read_text("utf-8"))
    found = []
    if version != ragate.__version__:
        found.append(f"{tag} tags version {ragate.__version__}")
    if f"\n## {version} " not in (root / "CHANGELOG.md").read_text("utf-8"):
        found.append(f"CHANGELOG.md has no section {version} with its date")
    if f"\n## {version} (unreleased)" in (root / "CHANGELOG.md").read_text("utf-8"):
        found.append(f"CHANGELOG.md calls {version} unreleased")
    if record != now:
        found.append(f"{RECORD} is not of today: python -m tests.release.check --record")
    if previous is not None and line(previous[0].removeprefix("v")) == line(version):
        found += [
            f"metric {name} changed since {previous[0]}, which only a new {_kind(version)} may do"
            for name in changed(recorded(previous[1]), now)
        ]
    return found


def _kind(version: str) -> str:
    return "minor version" if version.startswith("0.") else "major version"


def previous_release(tag: str, root: Path = ROOT) -> tuple[str, str] | None:
    """Return the release before `tag` in its history, None for the first."""
    before = _git(root, "describe", "--tags", "--abbrev=0", "--match", "v*.*.*", f"{tag}^")
    text = before and _git(root, "show", f"{before}:{RECORD}")
    return (before, text) if before and text else None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def main(arguments: list[str]) -> int:
    if arguments == ["--record"]:
        (ROOT / RECORD).write_text(json.dumps(metric_versions(), indent=2) + "\n", "utf-8")
        return 0
    (tag,) = arguments
    found = problems(tag, previous=previous_release(tag))
    print("\n".join(found) or f"{tag} may be released")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
