"""How long `ragate runs list` takes where ten thousand runs are stored.

    python -m benchmarks.many_runs

Every run has a manifest as `check` writes it, with the idf table that a metric fixed (20,000 words,
of which a run of 1,000 documents has more); the same without the small file that a list reads, as
runs of before have none, is timed over a tenth of them.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ragate.models import MetricInfo, Run, RunManifest, SystemInfo
from ragate.stores.listed_run import LISTING, listing
from ragate.stores.local import LocalStore

RUNS, FEW, WORDS, ROUNDS = 10_000, 1_000, 20_000, 5
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
[policy.metrics.mrr]
[system]
use = "replay"
path = "outputs.jsonl"
"""


def written(project: Path, count: int) -> None:
    """Write the folders of `count` runs: one as the store does, and the others after it."""
    table = {f"word{number}": round(1 + number / WORDS, 6) for number in range(WORDS)}
    manifest = RunManifest(
        run_id="20260101-000000-000-0000",
        gate="docs",
        commit="0" * 40,
        branch="main",
        created="2026-01-01T00:00:00+00:00",
        system=SystemInfo(use="http", fingerprint="f", settings={"model": '"small"'}),
        metrics={"idf_f1": MetricInfo(name="idf_f1")},
        states={"idf_f1": table},
        meta={"ticket": "RAG-17"},
        description="smaller chunks",
    )
    store = LocalStore(project / ".ragate")
    first = store.save(Run(manifest=manifest, records=()))
    text = (first / "manifest.json").read_bytes()
    facts = manifest.model_dump(mode="json")
    for number in range(1, count):
        folder = store.folder(f"20260101-{number:06d}-000-{number:04x}")
        folder.mkdir()
        os.link(first / "manifest.json", folder / "manifest.json")  # ten thousand fill a disk
        (folder / LISTING).write_bytes(listing(folder, facts, text))


def seconds(project: Path) -> str:
    """Return the median over some rounds of the whole command, with the start of Python."""
    took = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(ROUNDS):
        began = time.perf_counter()
        command = [sys.executable, "-m", "ragate", "runs", "list"]
        done = subprocess.run(command, cwd=project, capture_output=True, check=True, text=True)
        took.append(time.perf_counter() - began)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / ROUNDS
    rounds = " ".join(f"{each:.2f}" for each in took)
    lines = done.stdout.count("\n")
    return f"{sorted(took)[ROUNDS // 2]:.2f} s ({rounds}), {cpu:.2f} s of CPU, {lines:,} lines"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        (project / "ragate.toml").write_text(CONFIG)
        written(project, FEW)
        size = next(project.glob(".ragate/runs/*/manifest.json")).stat().st_size
        print(f"manifests of {size:,} bytes; goal: {RUNS:,} runs under 1 s")
        for path in project.glob(f".ragate/runs/*/{LISTING}"):
            path.unlink()
        print(f"{FEW:,} runs from their manifests: {seconds(project)}")
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        (project / "ragate.toml").write_text(CONFIG)
        written(project, RUNS)
        print(f"{RUNS:,} runs: {seconds(project)}")


if __name__ == "__main__":
    main()
