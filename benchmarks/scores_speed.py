"""What `ragate gate` on two files of scores costs: CPU as a ratio, wall and memory of many rows.

    python -m benchmarks.scores_speed [ROWS …]

A thousand rows of four metrics take some times the CPU of importing numpy, pydantic and click, in
turns, so that both see the same machine; the median of each counts. Each number of ROWS (100,000
where none is given) is a run of its own with two metrics.
"""

from __future__ import annotations

import csv
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

METRICS = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
TURNS = 9
IMPORTS = (sys.executable, "-c", "import numpy, pydantic, click")


def table(path: Path, *, rows: int, metrics: int, seed: int) -> Path:
    """Write scores that differ from those of another seed by a judge's noise."""
    rng = random.Random(seed)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "question", *METRICS[:metrics]])
        for number in range(rows):
            own = random.Random(number)
            drawn = (own.gauss(0.8, 0.1) + rng.gauss(0, 0.03) for _ in range(metrics))
            scores = (round(min(1.0, max(0.0, value)), 3) for value in drawn)
            out.writerow([f"q{number}", f"What does rule {number} say?", *scores])
    return path


def cpu_of(command: tuple[str, ...]) -> float:
    """Return the seconds of CPU that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def gate(folder: Path, *, rows: int, metrics: int) -> tuple[str, ...]:
    """Return the command on two files of as many rows."""
    sides = [
        table(folder / f"{rows}-{seed}.csv", rows=rows, metrics=metrics, seed=seed)
        for seed in (1, 2)
    ]
    return (sys.executable, "-m", "ragate", "gate", *map(str, sides))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = gate(folder, rows=1_000, metrics=4)
        turns = [(cpu_of(IMPORTS), cpu_of(command)) for _ in range(TURNS)]
        bare, whole = (median(each) for each in zip(*turns, strict=True))
        print(f"1,000 rows of 4 metrics: {whole / bare:.1f} times the CPU of the imports alone")
        for rows in map(int, sys.argv[1:] or ["100000"]):
            command = gate(folder, rows=rows, metrics=2)
            started, spent = time.monotonic(), cpu_of(command)
            wall = time.monotonic() - started
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            print(
                f"{rows:,} rows of 2 metrics: {wall:.0f} s, of which {spent:.0f} s of CPU; "
                f"{peak:,.0f} MB"
            )


if __name__ == "__main__":
    main()
