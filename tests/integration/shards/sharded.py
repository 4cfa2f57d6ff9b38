"""Shards and verdicts of small projects, as their commands make them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragate.baseline.recording.write_baseline import baseline_files
from ragate.cli.main import run
from ragate.config import load_config
from ragate.stores.local import LocalStore


def collect(number: int, *options: str, shards: int = 3) -> int:
    return run(["collect", "--shard", f"{number}/{shards}", *options])


def collect_all(*options: str, shards: int = 3, runs: int = 1) -> None:
    for number in range(1, shards + 1):
        assert collect(number, "--runs", str(runs), *options, shards=shards) == 0


def shard_file(root: Path, number: int, shards: int = 3) -> Path:
    return root / ".ragate" / "shards" / f"shard-{number}-of-{shards}.jsonl"


def shard_files(root: Path) -> list[str]:
    """Return every file of a shard, in no order that would mean anything."""
    return sorted(map(str, (root / ".ragate/shards").glob("*.jsonl")), reverse=True)


def head_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text().splitlines()[0])
    return found


def newest_run(root: Path) -> Path:
    """Return the folder of the newest run that was judged."""
    return max((root / ".ragate" / "runs").glob("*/report.json")).parent


def timeless_report(root: Path) -> dict[str, Any]:
    """Return the newest report without what differs between any two runs: ids and times."""
    report: dict[str, Any] = json.loads((newest_run(root) / "report.json").read_text())
    del report["run_id"], report["created"], report["facts"]["duration_s"]
    for outcome in report["outcomes"]:
        outcome.pop("latency_s", None)
    return report


def baseline_of_newest(root: Path) -> bytes:
    """Return the baseline that the newest run makes."""
    config = load_config(root / "ragate.toml")
    folder = newest_run(root)
    scored = LocalStore(root / ".ragate").load(folder)
    return baseline_files(config, scored, folder / "outputs.jsonl")[config.policy.baseline]


def scores_of_newest(root: Path) -> bytes:
    """Return every record of the newest run, as it is stored."""
    return (newest_run(root) / "scores.jsonl").read_bytes()
