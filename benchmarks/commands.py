"""Start-up and comparison: what a user waits for when nothing is run.

Prints the CPU of ``ragate --help`` (to be under 0.2 s), and wall time and peak memory of
``ragate compare`` on two stored runs of 10,000 samples (under 3 s and 300 MB): with one sample in
ten changed, as a change does, and with every score of every sample changed, the worst case.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ragate.core.hashing import content_hash, output_hash, retrieval_hash
from ragate.models import (
    MetricInfo,
    Reads,
    Record,
    RetrievedChunk,
    Run,
    RunManifest,
    Sample,
    Score,
    SystemInfo,
    SystemOutput,
)
from ragate.stores.local import LocalStore

RAGATE = str(Path(sys.executable).with_name("ragate"))
SAMPLES = 10_000
METRICS = 20
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]
[policy.metrics."ndcg@10"]
[policy.metrics.token_f1]
[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


def stored_run(seed: int, run_id: str, *, changed: float = 1.0) -> Run:
    """Return a run of 10,000 samples, 20 metrics and ten chunks each.

    Args:
        changed: Share of samples that differ between two seeds.
    """
    chance = random.Random(0)
    infos = {
        name: MetricInfo(name=name, reads=Reads.ANSWER)
        for name in ["ndcg@10", "token_f1", *(f"m{number}" for number in range(METRICS - 2))]
    }
    records = []
    for number in range(SAMPLES):
        own = seed if chance.random() < changed else 0
        dice = random.Random(number * 1000 + own)
        sample = Sample(id=f"q{number:05}", query=f"Question {number}?", relevant={"d1": 1})
        chunks = tuple(RetrievedChunk(doc_id=f"d{dice.randrange(500)}") for _ in range(10))
        output = SystemOutput(chunks=chunks, answer=f"An answer of usual length, {number}. " * 5)
        records.append(
            Record(
                sample_id=sample.id,
                content_hash=content_hash(sample),
                retrieval_hash=retrieval_hash(output),
                output_hash=output_hash(output),
                output=output,
                scores={name: Score(name, round(dice.random(), 6)) for name in infos},
            )
        )
    manifest = RunManifest(run_id=run_id, system=SystemInfo(use="replay"), metrics=infos)
    return Run(manifest=manifest, records=tuple(records))


def measure(*arguments: str, cwd: Path) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and peak MB of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run([RAGATE, *arguments], cwd=cwd, stdout=subprocess.DEVNULL, check=False)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, after.ru_maxrss / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        runs = [measure("--help", cwd=root) for _ in range(5)]
        print(f"ragate --help: {min(cpu for _, cpu, _ in runs):.3f} s CPU (best of 5)")
        (root / "ragate.toml").write_text(CONFIG)
        store = LocalStore(root / ".ragate")
        for changed in (0.1, 1.0):
            names = [f"20260101-000000-00{number}-{round(changed * 10):04}" for number in (1, 2)]
            for seed, run_id in enumerate(names, 1):
                store.save(stored_run(seed, run_id, changed=changed))
            wall, cpu, peak = measure("compare", *names, cwd=root)
            print(
                f"compare, 2 x {SAMPLES:,} samples x {METRICS} metrics, {changed:.0%} changed: ",
                end="",
            )
            print(f"{wall:.2f} s wall, {cpu:.2f} s CPU, {peak:.0f} MB peak")


if __name__ == "__main__":
    main()
