"""List the results whose measured code has changed since they were measured.

    python -m benchmarks.results_age

A result begins with `commit X; measures: path path`. What has changed need not be slower or wrong:
this only tells what was not measured since, and fails for a first line that cannot be read.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_HEAD = re.compile(r"commit ([0-9a-f]{7,40}); measures: (.+)")


def measured_code(result: Path) -> tuple[str, list[str]]:
    """Return the commit of a result and the paths that it measures.

    Raises:
        ValueError: its first line names no commit, or a path that does not exist.
    """
    first = result.read_text().partition("\n")[0]
    found = _HEAD.fullmatch(first)
    if found is None:
        raise ValueError(
            f"{result.name}: its first line is {first[:60]!r}; "
            "write `commit X; measures: path path`, with the commit that was measured"
        )
    paths = found[2].split()
    if gone := [path for path in paths if not (ROOT / path).exists()]:
        raise ValueError(f"{result.name}: there is no {', '.join(gone)}; name what it measures")
    return found[1], paths


def changed_since(commit: str, paths: list[str]) -> str:
    """Return how much of the code has changed, in git's words; "" for nothing."""
    asked = ["git", "diff", "--shortstat", commit, "--", *paths]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else f"commit {commit} is not in this clone"


def main() -> None:
    for result in sorted((ROOT / "benchmarks/results").glob("*.txt")):
        if changed := changed_since(*measured_code(result)):
            print(f"{result.name}: {changed}")


if __name__ == "__main__":
    main()
