"""Golden sets above 100,000: memory and time of every command, by the number of samples.

    OMP_NUM_THREADS=1 nice -n 15 python -m benchmarks.large_sets [SAMPLES ...]

Recorded outputs, five metrics, one run; every 50th answer changes between baseline and check. Every
step is the installed command in a process of its own, measured by the system (CPU and peak memory).
What memory grows by is told between the smallest and the largest set of one run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.shards import Cost, measured, write_project

SAMPLES = (100_000, 500_000)
MOST_KB = 4.0  # a sample, of any step


def costs_of(root: Path, samples: int) -> dict[str, Cost]:
    """Return what each step took on a set of so many samples."""
    write_project(root, samples, changed=False)
    costs = {"baseline update": measured(root, "baseline", "update", "--runs", "1", codes=(0,))}
    write_project(root, samples)
    costs["collect"] = measured(root, "collect", codes=(0,))
    costs["decide"] = measured(root, "decide")
    costs["collect, shard 1/8"] = measured(root, "collect", "--shard", "1/8", codes=(0,))
    return costs


def main(sizes: list[int]) -> int:
    """Print the figures; return 0 where memory grows by no more than is promised."""
    seen: dict[int, dict[str, Cost]] = {}
    print("5 metrics, one run, every 50th answer changed")
    print(f"{'samples':>10} {'golden MB':>9}  {'step':20}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}")
    for samples in sizes:
        with tempfile.TemporaryDirectory(prefix="ragate-large-") as folder:
            root = Path(folder)
            seen[samples] = costs_of(root, samples)
            files = {
                name: (root / name).stat().st_size / 1024**2
                for name in ("golden.jsonl", "outputs/run.jsonl", "baselines/gate.json")
            }
        for name, cost in seen[samples].items():
            print(
                f"{samples:10,} {files['golden.jsonl']:9.0f}  {name:20}{cost.cpu_s:8.1f}"
                f"{cost.wall_s:8.1f}{cost.peak_kb / 1024:9.0f}",
                flush=True,
            )
        print("  " + ", ".join(f"{name} {size:.0f} MB" for name, size in files.items()))
    few, many = min(seen), max(seen)
    if few == many:
        return 0
    worst = 0.0
    print(f"from {few:,} to {many:,} samples ({many / few:.1f} times)")
    for name, cost in seen[many].items():
        less = seen[few][name]
        grown = (cost.peak_kb - less.peak_kb) / (many - few)
        worst = max(worst, grown)
        print(
            f"  {name:20} {grown:5.2f} KB a sample more, "
            f"memory x {cost.peak_kb / less.peak_kb:.2f}, CPU x {cost.cpu_s / less.cpu_s:.2f}"
        )
    print("kept" if worst <= MOST_KB else "NOT KEPT", f"(at most {MOST_KB} KB a sample)")
    return 0 if worst <= MOST_KB else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", nargs="*", type=int, default=list(SAMPLES))
    sys.exit(main(parser.parse_args().samples))
