"""How long `ragate history` takes over 300 commits of a baseline of 1 MB.

    python -m benchmarks.long_history

Every commit changes the scores of 20 samples, as a change of a RAG does; git packs them as it does
in a clone.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ragate.baseline.write import dump_baseline, recorded_now
from ragate.core.hashing import content_hash
from ragate.models import (
    MetricInfo,
    Record,
    RetrievedChunk,
    Run,
    RunManifest,
    Sample,
    Score,
    SystemInfo,
    SystemOutput,
)

COMMITS, SAMPLES, CHANGED, ROUNDS = 300, 1_750, 20, 3
METRICS = ("mrr", "hit_rate@5", "ndcg@10", "recall@10", "token_f1")
ANSWER = " ".join(["The invoice is due thirty days after it was sent."] * 4)
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


def record(row: int, value: float) -> Record:
    """Return a sample with an answer, ten passages and one score a metric."""
    sample = Sample(id=f"q{row:05d}", query=f"question {row}")
    chunks = tuple(RetrievedChunk(doc_id=f"guide-{row % 97}-{rank}.md") for rank in range(10))
    return Record(
        sample_id=sample.id,
        content_hash=content_hash(sample),
        retrieval_hash=f"r{row}",
        output_hash=f"o{row}-{value}",
        output=SystemOutput(answer=f"{ANSWER} {row}", chunks=chunks),
        scores={name: Score(metric=name, value=value) for name in METRICS},
    )


def baseline(records: list[Record]) -> bytes:
    """Return the file."""
    manifest = RunManifest(
        gate="docs",
        system=SystemInfo(use="replay", fingerprint="f"),
        metrics={name: MetricInfo(name=name) for name in METRICS},
    )
    run = Run(manifest=manifest, records=tuple(records))
    return dump_baseline(run, store="answers", recorded=recorded_now(run, date="2026-01-01"))


def git(project: Path, *arguments: str, data: bytes | None = None) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(project), *identity, *arguments]
    subprocess.run(command, input=data, check=True, capture_output=data is not None)


def write_commits(project: Path) -> int:
    """Write the commits; return the bytes of the newest file."""
    drawn = random.Random(0)
    records = [record(row, drawn.random()) for row in range(SAMPLES)]
    git(project, "init", "-q", "-b", "main")
    stream = bytearray()
    size = 0
    for number in range(COMMITS):
        for row in drawn.sample(range(SAMPLES), CHANGED):
            records[row] = record(row, drawn.random())
        data = baseline(records)
        size = len(data)
        subject = f"change {number}".encode()
        stream += b"commit refs/heads/main\ncommitter a <a@example.org> %d +0000\n" % (
            1_767_225_600 + number * 86_400
        )
        stream += b"data %d\n%s\n" % (len(subject), subject)
        stream += b"M 100644 inline baseline.json\ndata %d\n%s\n" % (size, data)
    git(project, "fast-import", "--quiet", data=bytes(stream))
    git(project, "repack", "-adq")
    git(project, "reset", "-q", "--hard")
    return size


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        (project / "ragate.toml").write_text(CONFIG)
        size = write_commits(project)
        print(f"{COMMITS} commits of a baseline of {size:,} bytes; goal: under 3 s")
        for view in ("console", "html"):
            report(project, view)


def report(project: Path, view: str) -> None:
    """Print the median of some rounds, of the whole command with the start of Python."""
    took = []
    before = _cpu()
    for _ in range(ROUNDS):
        began = time.perf_counter()
        command = [sys.executable, "-m", "ragate", "history", "--format", view]
        subprocess.run(command, cwd=project, capture_output=True, check=True)
        took.append(time.perf_counter() - began)
    rounds = " ".join(f"{seconds:.2f}" for seconds in took)
    cpu = (_cpu() - before) / ROUNDS
    print(f"{view}: {sorted(took)[ROUNDS // 2]:.2f} s ({rounds}); {cpu:.2f} s of CPU a round")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
