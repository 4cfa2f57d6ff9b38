"""Simulated shares with their sampling error, and the tables that print them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from statistics import NormalDist

ROOT = Path(__file__).resolve().parents[1]
Z = NormalDist().inv_cdf(0.975)


def wilson(count: int, draws: int) -> tuple[float, float]:
    """Return the 95 % interval of the share `count` of `draws`, by Wilson."""
    share, spread = count / draws, Z * Z / draws
    centre = (share + spread / 2) / (1 + spread)
    half = Z * (share * (1 - share) / draws + spread / (4 * draws)) ** 0.5 / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def share(hits: Iterable[bool]) -> str:
    """Return ``.033 (.026 to .041)``: the share of true ones and its 95 % interval."""
    outcomes = [bool(hit) for hit in hits]
    low, high = wilson(sum(outcomes), len(outcomes))
    return f"{sum(outcomes) / len(outcomes):.3f} ({low:.3f} to {high:.3f})"


def print_lines(lines: Iterable[str], output: Path | None) -> None:
    """Print each line when it comes; write all of them to `output` where one is named."""
    printed = []
    for line in lines:
        printed.append(line)
        print(line, flush=True)
    if output is not None:
        output.write_text("\n".join(printed) + "\n", encoding="utf-8")


def measured_at(paths: str) -> str:
    """Return the first line of a result: the commit, and the paths whose change makes it old."""
    head = ["git", "rev-parse", "--short=10", "HEAD"]
    commit = subprocess.run(head, cwd=ROOT, capture_output=True, text=True, check=True)
    return f"commit {commit.stdout.strip()}; measures: {paths}"
