"""Projects and findings for the tests of this folder."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from ragate.cli.doctor.examine import examine
from ragate.cli.finding import Finding, Status
from ragate.models import (
    MetricInfo,
    Reads,
    Run,
    Sample,
    SystemInfo,
    SystemOutput,
)
from tests.factories import record_factory, run_factory


def sample(sample_id: str = "q1", **fields: object) -> Sample:
    return Sample.model_validate(
        {"id": sample_id, "query": f"What is {sample_id}?", "relevant": {"a.md": 1}, **fields}
    )


def samples(count: int = 30) -> list[Sample]:
    return [sample(f"q{number}", references=["It is."]) for number in range(count)]


def statuses(found: Sequence[Finding]) -> list[str]:
    return [str(one.status) for one in found]


def said(found: Sequence[Finding], status: Status) -> str:
    return "\n".join(one.message for one in found if one.status is status)


TODAY = datetime.date(2026, 11, 21)


BOTH = frozenset({Reads.RETRIEVAL, Reads.ANSWER})


CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]
[policy.metrics.error_rate]
level = "error"
[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


def run_of(
    found: Sequence[Sample],
    *,
    runs: int = 3,
    metrics: dict[str, MetricInfo] | None = None,
    deterministic: frozenset[Reads] = BOTH,
) -> Run:
    output = SystemOutput(answer="It is [1].")
    records = [record_factory(one, output, run=number) for number in range(runs) for one in found]
    system = SystemInfo(use="pgvector", deterministic=deterministic)
    return run_factory(
        records, system=system, runs=runs, created="2026-11-20", metrics=metrics or {}
    )


JUDGED = """
[policy.providers.judging]
base_url = "https://api.openai.com/v1"
key_env = "JUDGE_KEY"
[policy.judge]
use = "rubric"
provider = "judging"
model = "m"
[policy.metrics.faithfulness]
level = "{level}"
"""


def key_findings(folder: Path, *, level: str = "error", policy: str = "") -> list[Finding]:
    config = CONFIG.replace("[policy]\n", f"[policy]\n{policy}\n", 1)
    (folder / "ragate.toml").write_text(config + JUDGED.format(level=level))
    return [one for one in examine(folder, None, {}, today=TODAY) if one.check == "keys"]


def checks(folder: Path, **environment: str) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for one in examine(folder, None, environment, today=TODAY):
        found.setdefault(one.check, []).append(one)
    return found
