"""Two checkouts of ragate on the same projects: verdicts, exit codes and reports have to be equal.

    git worktree add ../before COMMIT
    python -m benchmarks.same_reports ../before

Records, checks, collects and decides projects of recorded outputs (green, worse, with a must-pass
sample, with slices, from shards) and this repository's own manual with each checkout, and compares
exit codes, reports as JSON and baseline files; times and ids of runs are left out. Ends with 1
where anything differs, and says what.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.plain_check import ROOT, environment_of, own_manual
from tests.projects import ReplayProject, right

# What differs between two runs of the very same.
OF_THE_MOMENT = {"created", "run_id", "duration_s", "ragate_version", "latency_s"}
SLICES = """
[[policy.slices]]
name = "hard"
tags = ["hard"]
metrics = ["token_f1"]
"""


def worse(number: int, run: int) -> dict[str, Any]:
    """A third of the answers is wrong, from the wrong document."""
    if number % 3:
        return right(number, run)
    return {"answer": "Nobody knows.", "chunks": [{"doc_id": "other.md", "text": "Else."}]}


def replay_project(folder: Path, name: str, **fields: Any) -> ReplayProject:
    """Write a project of recorded outputs; questions of each third number are hard."""
    (folder / name).mkdir()
    project = ReplayProject(folder / name, **fields)
    extra = {number: {"tags": ["hard"]} for number in range(0, 40, 3)}
    project.extra = {**extra, 0: {"tags": ["hard"], "must_pass": True}}
    project.write_golden(range(40))
    return project


def steps_of(folder: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """Yield every step as name, project and command, in order; projects change between them."""
    update, check = ["baseline", "update"], ["check", "--format", "json"]
    decide = ["decide", "--format", "json"]
    green = replay_project(folder, "green")
    for command in (check, update, check, ["collect"], decide, [*decide, "--top-k", "1"]):
        yield "green", green.root, command
    for options in (
        ["--tags", "hard", "--skip", "token_f1"],
        ["--runs", "2"],
        ["--retrieval-only"],
    ):
        yield "green", green.root, [*check, *options]
    shards = [f".ragate/shards/shard-{number}-of-2.jsonl" for number in (1, 2)]
    for number in (1, 2):
        yield "shards", green.root, ["collect", "--shard", f"{number}/2"]
        yield "shards", green.root, [*decide, *shards[:number]]
    sliced = replay_project(folder, "sliced")
    with (sliced.root / "ragate.toml").open("a") as file:
        file.write(SLICES)
    yield "sliced", sliced.root, update
    yield "sliced", sliced.root, check
    for project in (green, sliced):
        project.record(worse, runs=2)
        for command in (check, ["collect"], decide, update):
            yield "worse", project.root, command
    yield "manual", own_manual(folder, ROOT), check


def told_by(checkout: Path) -> dict[str, dict[str, Any]]:
    """Return what each step ended with: its code, its report, and the baseline that is there."""
    told: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, project, command) in enumerate(steps_of(Path(folder))):
            ended = subprocess.run(
                [sys.executable, "-m", "ragate", *command],
                cwd=project,
                env={**environment_of(project, checkout), "RAGATE_STATE_DIR": ".ragate"},
                capture_output=True,
                text=True,
                check=False,
            )
            key = f"{number} {name}: {' '.join(command)}"
            baseline = project / "baselines/gate.json"
            told[key] = {
                "exit code": ended.returncode,
                "report": _report(ended.stdout) if "json" in command else "",
                "baseline": _baseline(baseline.read_text()) if baseline.is_file() else "",
            }
    return told


def _report(text: str) -> Any:
    return timeless(json.loads(text)) if text.startswith("{") else text


def timeless(value: Any) -> Any:
    """Return a report without what differs between two runs of the very same."""
    if isinstance(value, dict) and value.get("metric") == "latency_p95":
        return "measured anew"
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in OF_THE_MOMENT}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def _baseline(text: str) -> list[str]:
    return [line for line in text.splitlines() if not any(word in line for word in OF_THE_MOMENT)]


def differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Yield the places where two values differ; what a later schema has besides is none."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before):
            yield from differences(before.get(key), after.get(key), f"{where}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (first, second) in enumerate(zip(before, after, strict=True)):
            yield from differences(first, second, f"{where}[{number}]")
    elif before != after:
        yield f"{where}: {str(before)[:200]} -> {str(after)[:200]}"


def main() -> int:
    """Print what differs, and return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("before", type=Path, help="the other checkout")
    before, after = told_by(parser.parse_args().before.resolve()), told_by(ROOT)
    found = list(differences(before, after))
    codes = [each["exit code"] for each in after.values()]
    print(
        f"{len(after)} steps, with exit codes {codes}: {len(found)} differences", *found, sep="\n"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
