"""Pull requests that change what they are judged by: the base's rules still decide."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.container.runner import StepResult
from tests.e2e.action.forge import Forge, outputs, recorded_project

pytestmark = pytest.mark.e2e
BROKEN = range(12)
Files = dict[str, bytes]
Poison = Callable[[Files], Files]


def config(files: Files) -> str:
    return files["ragate.toml"].decode()


def clean(files: Files) -> Files:
    del files
    return {}


def thresholds_of_zero(files: Files) -> Files:
    text = config(files).replace(
        'level = "error"', 'level = "error"\nmax_drop = 0.99\nminimum = 0.0'
    )
    return {"ragate.toml": text.encode()}


def metric_dropped(files: Files) -> Files:
    text = config(files).replace('level = "error"', 'level = "off"', 2)
    return {"ragate.toml": (text + "\n").encode()}


def hard_questions_deleted(files: Files) -> Files:
    lines = files["golden.jsonl"].decode().splitlines(keepends=True)
    return {"golden.jsonl": "".join(lines[BROKEN.stop :]).encode()}


def questions_made_easy(files: Files) -> Files:
    rows = [json.loads(line) for line in files["golden.jsonl"].splitlines()]
    for row in rows:
        row |= {"relevant": {"other.md": 1}, "references": ["No idea."]}
    return {"golden.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode()}


def samples_waived(files: Files) -> Files:
    waivers = "".join(
        f'[[policy.waivers]]\nid = "q{number}"\nmetric = "{metric}"\nowner = "me"\n'
        f'reason = "flaky"\nuntil = 2099-01-01\n'
        for number in BROKEN
        for metric in ("hit_rate@5", "token_f1")
    )
    return {"ragate.toml": (config(files) + waivers).encode()}


def policy_moved(files: Files) -> Files:
    text = config(files).replace('"golden.jsonl"', '"easy.jsonl"')
    return {"ragate.toml": text.encode(), **_renamed(questions_made_easy(files))}


def _renamed(files: Files) -> Files:
    return {"easy.jsonl": files["golden.jsonl"]}


@pytest.mark.parametrize(
    "poison",
    [
        clean,
        thresholds_of_zero,
        metric_dropped,
        hard_questions_deleted,
        questions_made_easy,
        samples_waived,
        policy_moved,
    ],
)
def test_a_broken_change_fails_whatever_it_does_to_its_own_rules(
    forge: Forge, gated: Files, poison: Poison
) -> None:
    change = forge.change({**outputs(broken=BROKEN), **poison(gated)})
    result = forge.check(change)
    assert result.exit_code == 1, result.log
    assert forge.states(change.head)[-1] == "failure"
    shown = "this change has others" in forge.comment()
    assert shown is (poison is not clean)


def test_a_clean_change_passes(forge: Forge) -> None:
    change = forge.change({"README.md": b"hello"})
    assert forge.check(change).exit_code == 0


def test_a_baseline_recorded_from_the_broken_system_does_not_count(
    forge: Forge, tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    broken = outputs(broken=BROKEN)
    lowered = recorded_project(folder, answers=broken)["baselines/gate.json"]
    change = forge.change({**broken, "baselines/gate.json": lowered})
    result = forge.check(change)
    assert result.exit_code == 1, result.log
    report = reported(result, forge)
    assert report["decision"]["verdict"] == "failed"
    assert report["rules_differ"] == ["the baseline baselines/gate.json"]


def reported(result: StepResult, forge: Forge) -> Any:
    return json.loads((forge.last / result.outputs["report-json"]).read_text())


def redirected(files: Files, folder: str, *, allow: str) -> Files:
    head, _, tail = config(files).rpartition('paths = ["outputs/*.jsonl"]')
    text = head + f'paths = ["{folder}"]' + tail
    return {"ragate.toml": text.replace('replay_paths = ["outputs/*.jsonl"]', allow).encode()}


def test_a_hand_written_recording_elsewhere_is_not_read(forge: Forge, gated: Files) -> None:
    allow = 'replay_paths = ["**/*.jsonl"]'
    files = redirected(gated, "mine/*.jsonl", allow=allow)
    perfect = {f"mine/{Path(name).name}": body for name, body in outputs().items()}
    change = forge.change({**outputs(broken=BROKEN), **perfect, **files})
    result = forge.check(change)
    assert result.exit_code == 3, result.log
    assert result.outputs["verdict"] == "no_decision"
    assert "replay_paths" in forge.comment()
    assert forge.states(change.head)[-1] == "error"


def test_another_choice_of_allowed_recordings_is_not_compared(forge: Forge, gated: Files) -> None:
    allow = 'replay_paths = ["outputs/*.jsonl"]'
    files = redirected(gated, "outputs/run0.jsonl", allow=allow)
    result = forge.check(forge.change(files))
    assert result.exit_code == 3, result.log


@pytest.mark.parametrize("system", ["python", "command", "llamaindex"])
def test_another_kind_of_system_is_refused_and_its_code_is_not_run(
    forge: Forge, gated: Files, system: str, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    head, _, _ = config(gated).rpartition("[system]")
    keys = {
        "python": 'target = "evil:answer"',
        "command": f'command = ["touch", "{marker}"]',
        "llamaindex": 'target = "evil:answer"',
    }[system]
    text = head.replace('["replay"]', f'["replay", "{system}"]')
    text += f'[system]\nuse = "{system}"\n{keys}\n'
    code = f"open({str(marker)!r}, 'w')\ndef answer(query): return query\n"
    change = forge.change(
        {
            "ragate.toml": text.encode(),
            "evil.py": code.encode(),
            "ragate/__init__.py": code.encode(),
            "sitecustomize.py": code.encode(),
        }
    )
    result = forge.check(change, inputs={"allow-code": "true"})
    assert result.exit_code == 3, result.log
    assert not marker.exists()
