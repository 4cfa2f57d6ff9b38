"""The matrix of the manual, run as the runner runs it, and what the second half says of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.container.runner import StepResult
from tests.e2e.action.forge import Change, Forge, outputs
from tests.e2e.command import CLEAN, RAGATE
from tests.workflows.blocks import workflows

pytestmark = pytest.mark.e2e
(MATRIX,) = (block.text for block in workflows() if "ragate collect --shard" in block.text)
Shards = dict[str, bytes]  # by name of file
_COLLECTED: dict[str, Shards] = {}


def collecting_job() -> dict[str, Any]:
    text = MATRIX.replace("evals/golden.jsonl", "golden.jsonl")  # where the project has its own
    job: dict[str, Any] = yaml.safe_load(text)["jobs"]["collect"]
    return job


def collect(forge: Forge, change: Change) -> Shards:
    """Return what every job of the matrix uploads; for one commit it runs once."""
    shards = _COLLECTED.setdefault(change.merge, {})
    if shards:
        return dict(shards)
    job = collecting_job()
    (step,) = (one for one in job["steps"] if "ragate collect" in one.get("run", ""))
    for number in job["strategy"]["matrix"]["shard"]:
        workspace = forge.checkout(change.merge)
        path = os.pathsep.join([str(Path(RAGATE).parent), CLEAN["PATH"]])
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=workspace,
            env={**CLEAN, "PATH": path, "SHARD": str(number), "CI": "true"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (file,) = workspace.glob("ragate-outputs-*.jsonl")
        shards[file.name] = file.read_bytes()
    return dict(shards)


def decide(forge: Forge, change: Change, shards: Mapping[str, bytes]) -> StepResult:
    def download(workspace: Path) -> None:
        (workspace / "incoming").mkdir()
        for name, content in shards.items():
            (workspace / "incoming" / name).write_bytes(content)

    inputs = {"gate": "gate", "outputs-path": "incoming"}
    return forge.decide(change, None, prepare=download, inputs=inputs)


def report_of(forge: Forge) -> dict[str, Any]:
    """Return the report that the last step left, without ids and times."""
    report = forge.report()
    for name in ("run_id", "created", "report_url"):
        report.pop(name, None)
    del report["facts"]["duration_s"]
    return report


@pytest.fixture
def broken(forge: Forge) -> Change:
    return forge.change(outputs(broken=range(12)))


def test_the_shards_come_to_the_report_of_one_job(forge: Forge, broken: Change) -> None:
    shards = collect(forge, broken)
    assert sorted(shards) == [f"ragate-outputs-{number}.jsonl" for number in (1, 2, 3, 4)]
    merged = decide(forge, broken, shards)
    assert merged.exit_code == 1, merged.log
    together = report_of(forge)

    _, lines = forge.collect(broken, inputs={"gate": "gate", "runs": "3"})
    alone = forge.decide(broken, lines, inputs={"gate": "gate"})
    assert alone.exit_code == 1, alone.log

    assert together == report_of(forge)
    assert forge.states(broken.head)[-1] == "failure"


def test_the_bases_questions_are_asked_though_the_change_has_taken_some_out(
    forge: Forge, gated: dict[str, bytes]
) -> None:
    fewer = b"".join(gated["golden.jsonl"].splitlines(keepends=True)[5:])
    change = forge.change({"golden.jsonl": fewer, **outputs(broken=range(12))})

    result = decide(forge, change, collect(forge, change))

    assert result.exit_code == 1, result.log
    assert result.outputs["samples"] == "30"
    assert report_of(forge)["rules_differ"] == ["the golden set golden.jsonl"]


def without_the_second(shards: Shards) -> Shards:
    return {name: text for name, text in shards.items() if "-2." not in name}


def forged_answers(shards: Shards) -> Shards:
    """Put right answers into a shard that was collected."""
    name = "ragate-outputs-1.jsonl"
    return {**shards, name: shards[name].replace(b"No idea.", b"Yes, it.")}


def of_another_run(shards: Shards) -> Shards:
    name = "ragate-outputs-3.jsonl"
    head, rest = shards[name].split(b"\n", 1)
    value = json.loads(head)
    value["shard"]["run"]["commit"] = "f" * 40
    return {**shards, name: json.dumps(value).encode() + b"\n" + rest}


def doubled(shards: Shards) -> Shards:
    return {**shards, "ragate-outputs-9.jsonl": shards["ragate-outputs-2.jsonl"]}


FORGERIES: list[tuple[Callable[[Shards], Shards], str]] = [
    (without_the_second, "shard is missing: 2/4"),
    (forged_answers, "half a shard"),
    (of_another_run, "another commit, ffff"),
    (doubled, "a second time"),
]


def test_what_is_no_whole_run_is_refused(forge: Forge, broken: Change) -> None:
    shards = collect(forge, broken)

    for forgery, said in FORGERIES:
        result = decide(forge, broken, forgery(shards))
        assert result.exit_code == 2, result.log
        assert said in result.raw_log
    assert "success" not in forge.states(broken.head)


@pytest.mark.parametrize("name", ["shards", "shard"])
def test_an_old_workflow_is_told_what_to_do_instead(
    forge: Forge, broken: Change, name: str
) -> None:
    result = forge.check(broken, inputs={"mode": "collect", name: "3"})

    assert result.exit_code == 2
    assert f"input {name} is gone: `ragate collect --shard 2/4` writes one part" in result.raw_log
