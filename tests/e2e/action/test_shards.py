"""The matrix that `init --shards` writes, step by step as the runner runs it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragate.cli.init.action_workflows import action_workflows
from ragate.cli.init.config_text import Choice
from tests.container.runner import StepResult
from tests.e2e.action.forge import Change, Forge, outputs

pytestmark = pytest.mark.e2e
WORKFLOWS = action_workflows(
    Choice("replay", "outputs/*.jsonl"), gate="gate", commit="c0ffee" * 6 + "c0ff", shards=3
)
Shards = dict[str, bytes]  # by name of file
_COLLECTED: dict[tuple[str, int], Shards] = {}


def job_of(name: str) -> dict[str, Any]:
    job: dict[str, Any] = next(iter(yaml.safe_load(WORKFLOWS[name])["jobs"].values()))
    return job


def inputs_of(name: str, **values: str) -> dict[str, str]:
    """Return what the workflow hands to our step, its expressions filled in."""
    (step,) = (step for step in job_of(name)["steps"] if "mode" in step.get("with", {}))

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: values[found[1]], text)

    return {key: filled(str(value)) for key, value in step["with"].items()}


def collect(forge: Forge, change: Change, *, attempt: int = 1) -> Shards:
    """Return what every job of the matrix uploads; for one commit and attempt it runs once."""
    shards = _COLLECTED.setdefault((change.merge, attempt), {})
    if shards:
        return dict(shards)
    for number in job_of("ragate-collect.yml")["strategy"]["matrix"]["shard"]:
        expressions = {"matrix.shard": str(number), "github.run_attempt": str(attempt)}
        inputs = inputs_of("ragate-collect.yml", **expressions)
        workspace = forge.checkout(change.merge)
        result, _ = forge.collect(change, workspace=workspace, inputs=inputs, run_attempt=attempt)
        assert result.exit_code == 0, result.log
        (file,) = workspace.glob("ragate-outputs-*.jsonl")
        shards[file.name] = file.read_bytes()
    return dict(shards)


def decide(forge: Forge, change: Change, shards: Mapping[str, bytes]) -> StepResult:
    def download(workspace: Path) -> None:
        (workspace / "incoming").mkdir()
        for name, content in shards.items():
            (workspace / "incoming" / name).write_bytes(content)

    return forge.decide(change, None, prepare=download, inputs=inputs_of("ragate-decide.yml"))


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


def test_three_shards_come_to_the_report_of_one_job(forge: Forge, broken: Change) -> None:
    shards = collect(forge, broken)
    assert sorted(shards) == [f"ragate-outputs-{number}-1.jsonl" for number in (1, 2, 3)]
    merged = decide(forge, broken, shards)
    assert merged.exit_code == 1, merged.log
    together = report_of(forge)

    _, lines = forge.collect(broken, inputs={"gate": "gate", "runs": "3"})
    alone = forge.decide(broken, lines, inputs={"gate": "gate"})
    assert alone.exit_code == 1, alone.log

    assert together == report_of(forge)
    assert forge.states(broken.head)[-1] == "failure"


def test_a_missing_shard_is_no_decision_and_named(forge: Forge) -> None:
    change = forge.change({"note.md": b"nothing", **outputs()})
    shards = collect(forge, change)
    del shards["ragate-outputs-2-1.jsonl"]

    result = decide(forge, change, shards)

    assert result.exit_code == 3, result.log
    assert result.outputs["verdict"] == "no_decision"
    assert "shard 2/3 is missing" in forge.comment()
    assert "run the failed jobs of the collecting workflow again" in forge.comment()
    assert forge.states(change.head)[-1] in {"error", "failure"}


def forged_number(shards: Shards) -> Shards:
    """Let the second shard pass for the third one."""
    head, rest = shards["ragate-outputs-2-1.jsonl"].split(b"\n", 1)
    value = json.loads(head)
    value["shard"]["number"] = 3
    kept = {"ragate-outputs-1-1.jsonl": shards["ragate-outputs-1-1.jsonl"]}
    return {**kept, "ragate-outputs-3-1.jsonl": json.dumps(value).encode() + b"\n" + rest}


def forged_answers(shards: Shards) -> Shards:
    """Put right answers into a shard that was collected."""
    name = "ragate-outputs-1-1.jsonl"
    return {**shards, name: shards[name].replace(b"No idea.", b"Yes, it.")}


def of_another_commit(shards: Shards) -> Shards:
    name = "ragate-outputs-1-1.jsonl"
    head, rest = shards[name].split(b"\n", 1)
    value = json.loads(head)
    value["manifest"]["commit"] = "f" * 40
    return {**shards, name: json.dumps(value).encode() + b"\n" + rest}


def of_another_plan(shards: Shards) -> Shards:
    name = "ragate-outputs-3-1.jsonl"
    head, rest = shards[name].split(b"\n", 1)
    value = json.loads(head)
    value["shard"]["plan"] = "0" * 16
    return {**shards, name: json.dumps(value).encode() + b"\n" + rest}


def doubled(shards: Shards) -> Shards:
    return {**shards, "ragate-outputs-9.jsonl": shards["ragate-outputs-2-1.jsonl"]}


FORGERIES: list[tuple[Callable[[Shards], Shards], str]] = [
    (forged_number, "is of shard 2/3, and this is shard 3/3"),
    (forged_answers, "half a shard"),
    (of_another_commit, "collected at commit ffff"),
    (of_another_plan, "of another plan"),
    (doubled, "a second time"),
]


def test_a_forged_shard_is_refused(forge: Forge, broken: Change) -> None:
    shards = collect(forge, broken)

    for forgery, said in FORGERIES:
        result = decide(forge, broken, forgery(shards))
        assert result.exit_code == 2, result.log
        assert said in result.raw_log
    assert "success" not in forge.states(broken.head)


def test_a_shard_that_only_a_second_attempt_collected_completes_the_first(forge: Forge) -> None:
    change = forge.change({"note.md": b"nothing", **outputs()})
    first, second = collect(forge, change), collect(forge, change, attempt=2)
    del first["ragate-outputs-2-1.jsonl"]
    again = second["ragate-outputs-2-2.jsonl"]

    result = decide(forge, change, {**first, "ragate-outputs-2-2.jsonl": again})

    assert result.exit_code == 0, result.log


def test_a_whole_second_attempt_adds_its_passes(forge: Forge) -> None:
    change = forge.change({"note.md": b"nothing", **outputs()})

    result = decide(forge, change, {**collect(forge, change), **collect(forge, change, attempt=2)})

    assert result.exit_code == 0, result.log
    assert report_of(forge)["decision"]["runs_candidate"] == 6


@pytest.mark.parametrize(
    ("mode", "inputs", "said"),
    [
        ("collect", {"shards": "3"}, "input shard"),
        ("collect", {"shard": "1"}, "input shard"),
        ("collect", {"shards": "3", "shard": "4"}, "from 1 to 3"),
        ("collect", {"shards": "257", "shard": "4"}, "from 1 to 256"),
        ("check", {"shards": "3"}, "only collect and decide work in shards"),
        ("decide", {"shards": "3", "shard": "1"}, "only collect does one shard"),
    ],
)
def test_inputs_that_make_no_shard_are_refused(
    forge: Forge, broken: Change, mode: str, inputs: dict[str, str], said: str
) -> None:
    result = forge.check(broken, inputs={"mode": mode, **inputs})

    assert result.exit_code == 2
    assert said in result.raw_log
