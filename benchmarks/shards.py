"""A run in shards against one process: memory of each process, time of the merge, equal results.

    OMP_NUM_THREADS=1 python -m benchmarks.shards [SAMPLES [SHARDS]]

Recorded outputs, five metrics, one run. Every step is the installed command in a process of its
own, measured by the system (CPU and peak memory). What memory grows by is told against a golden set
of a tenth of the samples. The merge is what `decide` of shards needs beyond `decide` on one file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ragate.baseline.recording.write_baseline import baseline_files
from ragate.config import load_config
from ragate.stores.local import LocalStore

RAGATE = str(Path(sys.executable).with_name("ragate"))
SAMPLES, SHARDS = 200_000, 8
MOST_KB, MOST_MERGE = 2.0, 0.1
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]
max_minutes = 600
[policy.metrics."hit_rate@5"]
[policy.metrics."recall@5"]
[policy.metrics."ndcg@10"]
[policy.metrics.token_f1]
[policy.metrics.number_recall]
[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


# A process begins with the peak of the one that started it: this one is small.
LAUNCHER = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


@dataclass(frozen=True)
class Cost:
    """What one process took.

    Attributes:
        cpu_s: User and system time.
        peak_kb: Largest resident memory.
    """

    cpu_s: float
    wall_s: float
    peak_kb: int


def write_project(root: Path, samples: int, *, changed: bool = True) -> None:
    """Write golden set and recorded outputs.

    Args:
        changed: Every 50th answer is another than the right one.
    """
    (root / "outputs").mkdir(parents=True, exist_ok=True)
    (root / "ragate.toml").write_text(CONFIG)
    with (root / "golden.jsonl").open("w") as golden, (root / "outputs/run.jsonl").open("w") as out:
        for number in range(samples):
            text = f"The value of item {number} is {number} apples."
            row = {
                "id": f"q{number}",
                "query": f"What is the value of item {number}?",
                "relevant": {f"d{number}.md": 1},
                "references": [text],
            }
            golden.write(json.dumps(row) + "\n")
            answer = f"It is {number + 1} apples." if changed and number % 50 == 0 else text
            chunks = [
                {"doc_id": f"d{number}.md", "text": text},
                {"doc_id": "o.md", "text": "Else."},
            ]
            out.write(json.dumps({"id": f"q{number}", "answer": answer, "chunks": chunks}) + "\n")


def measured(root: Path, *arguments: str, codes: tuple[int, ...] = (0, 1, 3)) -> Cost:
    """Run the command and return what it took.

    Raises:
        SystemExit: it ended with another code than expected.
    """
    started = time.monotonic()
    environment = {**os.environ, "CI": "1", "RAGATE_CONFIG": str(root / "ragate.toml")}
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER, RAGATE, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    code, cpu_s, peak_kb = json.loads(done.stdout)
    if code not in codes:
        raise SystemExit(done.stderr[-2000:])
    return Cost(cpu_s, time.monotonic() - started, peak_kb)


def timeless(root: Path) -> tuple[object, bytes, bytes]:
    """Return the newest run's report without ids and times, its records, and its baseline."""
    folder = max((root / ".ragate/runs").glob("*/report.json")).parent
    report = json.loads((folder / "report.json").read_bytes())
    del report["run_id"], report["created"], report["facts"]["duration_s"]
    run = LocalStore(root / ".ragate").load(folder)
    config = load_config(root / "ragate.toml")
    baseline = baseline_files(config, run, folder / "outputs.jsonl")["baselines/gate.json"]
    return report, (folder / "scores.jsonl").read_bytes(), baseline


def costs_of(root: Path, samples: int, shards: int) -> tuple[dict[str, Cost], bool]:
    """Return what each step took, and whether both ways came to the same."""
    write_project(root, samples)
    costs: dict[str, Cost] = {}
    costs["collect, one process"] = measured(root, "collect", codes=(0,))
    costs["decide, one process"] = measured(root, "decide", "--format", "json")
    alone = timeless(root)
    for number in range(1, shards + 1):
        one = ("--shard", f"{number}/{shards}")
        costs[f"collect, shard {number}"] = measured(root, "collect", *one, codes=(0,))
    files = sorted(map(str, (root / ".ragate/shards").glob("*.jsonl")))
    costs["decide, shards"] = measured(root, "decide", *files, "--format", "json")
    return costs, timeless(root) == alone


def main(samples: int, shards: int) -> int:
    """Print the figures; return 0 where they keep what is promised."""
    with tempfile.TemporaryDirectory(prefix="ragate-shards-") as folder:
        few, same_few = costs_of(Path(folder) / "few", samples // 10, shards)
        costs, same = costs_of(Path(folder) / "many", samples, shards)
    more = samples - samples // 10
    grown = {name: (cost.peak_kb - few[name].peak_kb) / more for name, cost in costs.items()}
    print(f"{samples:,} samples, {shards} shards, 5 metrics; result equal: {same and same_few}")
    print(f"{'step':24}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'KB a sample':>13}")
    for name, cost in costs.items():
        peak = cost.peak_kb / 1024
        print(f"{name:24}{cost.cpu_s:8.1f}{cost.wall_s:8.1f}{peak:9.0f}{grown[name]:13.2f}")
    steps = [cost.cpu_s for name, cost in costs.items() if not name.endswith("one process")]
    merge = costs["decide, shards"].cpu_s - costs["decide, one process"].cpu_s
    share = max(0.0, merge) / sum(steps)
    print(f"merge: {merge:.1f} s of CPU beyond one file, {share:.1%} of the {sum(steps):.0f} s")
    most = max(more for name, more in grown.items() if not name.endswith("one process"))
    print(f"a process of the shards: at most {most:.2f} KB a sample")
    kept = same and same_few and share < MOST_MERGE and most <= MOST_KB
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:]]
    sys.exit(main(*(given + [SAMPLES, SHARDS][len(given) :])))
