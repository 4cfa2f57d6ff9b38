"""`ragate action`: on the runner, with the RAG's own environment, what the container would do."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.container.runner import StepResult
from tests.e2e.action.forge import SAMPLES, Change, Forge
from tests.e2e.action.main_projects import baseline_of, record
from tests.projects import right
from tests.workflows.written import manual_workflow

pytestmark = pytest.mark.e2e
RAGATE = str(Path(sys.executable).with_name("ragate"))
BASELINE = "baselines/gate.json"
# Reads what was recorded, with a library that the environment of ragate has not.
RAG = """
import only_here

def answer(query):
    return only_here.answer(query)
"""


def workflow_run(mode: str) -> list[str]:
    """Return the arguments that the shown workflow calls ragate with."""
    name = {"collect": "ragate-collect-code", "record": "ragate-main-code"}[mode]
    job = next(iter(yaml.safe_load(manual_workflow(name, gate="gate"))["jobs"].values()))
    (line,) = [step["run"] for step in job["steps"] if "ragate action" in step.get("run", "")]
    program, *arguments = shlex.split(line.partition(" #")[0].removeprefix("exec "))
    assert program == "ragate"
    return [one.replace("$GITHUB_RUN_ATTEMPT", "1") for one in arguments]


def on_runner(forge: Forge, change: Change, *arguments: str, **options: Any) -> StepResult:
    """Run the step as `ragate action`, from the environment of ragate."""
    options.setdefault("token", "")
    return forge.check(change, entrypoint=[RAGATE, *arguments], **options)


def at_base(forge: Forge, path: str) -> str:
    entry = forge.github.git.entry(forge.base, path)
    assert entry is not None
    return forge.github.git.read(entry.sha).decode()


@pytest.fixture
def change(forge: Forge, tmp_path: Path) -> Change:
    """A change whose system is code that runs in an environment of its own only."""
    library = tmp_path / "its-own"
    library.mkdir()
    answers = {f"Q{number}": right(number, 0) for number in range(SAMPLES)}
    (library / "answers.json").write_text(json.dumps(answers))
    (library / "only_here.py").write_text(
        "import json, pathlib, re\n"
        "ANSWERS = json.loads(pathlib.Path(__file__).with_name('answers.json').read_text())\n"
        "def answer(query): return ANSWERS['Q' + re.findall(r'[0-9]+', query)[0]]\n"
    )
    interpreter = tmp_path / "its-python"
    interpreter.write_text(f'#!/bin/sh\nPYTHONPATH="{library}" exec {sys.executable} -S "$@"\n')
    interpreter.chmod(0o755)
    text = at_base(forge, "ragate.toml").replace('["replay"]', '["replay", "python"]')
    baseline = at_base(forge, BASELINE).replace('"use":"replay"', '"use":"python"')
    system = f'[system]\nuse = "python"\ntarget = "rag:answer"\ninterpreter = ["{interpreter}"]\n'
    assert '"use":"python"' in baseline  # as if it had been recorded there
    text = text.rpartition("[system]")[0] + system
    files = {"ragate.toml": text.encode(), BASELINE: baseline.encode()}
    forge.base = forge.github.commit(
        {**files, "rag.py": RAG.encode()}, parents=[forge.base], branch="main"
    )
    return forge.change({"README.md": b"changed"}, fork="stranger/handbook")


def passes(path: Path) -> list[Any]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    head, *rest = lines
    head["manifest"].pop("created", None)
    for line in rest:
        line.pop("latency", None)
    key = ("id", "run")
    return [head, *sorted(rest, key=lambda line: [str(line.get(name)) for name in key])]


def test_the_shown_workflow_collects_on_the_runner_what_the_container_would(
    forge: Forge, change: Change
) -> None:
    arguments = workflow_run("collect")
    result = on_runner(forge, change, *arguments)

    assert (result.exit_code, result.outputs["verdict"]) == (0, "collected"), result.log
    assert forge.github.requests == []
    name = arguments[arguments.index("--outputs-path") + 1]
    assert re.fullmatch(r"ragate-outputs-\d+\.jsonl", name)
    mine = passes(forge.last / name)

    inputs = {"mode": "collect", "runs": "3", "allow-code": "true", "gate": "gate"}
    other = forge.check(change, inputs=inputs, token="")
    assert other.exit_code == 0, other.log
    theirs = passes(forge.last / "ragate-outputs.jsonl")
    assert len(mine) == 1 + 3 * SAMPLES
    assert [line.get("answer") for line in mine] == [line.get("answer") for line in theirs]
    assert mine[0]["manifest"].keys() == theirs[0]["manifest"].keys()
    assert mine[0]["manifest"]["system"] == theirs[0]["manifest"]["system"]


def test_what_was_collected_on_the_runner_is_judged_in_the_other_half(
    forge: Forge, change: Change
) -> None:
    assert on_runner(forge, change, *workflow_run("collect")).exit_code == 0
    lines = (forge.last / "ragate-outputs-1.jsonl").read_bytes()

    result = forge.decide(change, lines, inputs={"gate": "gate"})

    assert result.outputs["verdict"] == "passed", result.log + str(result.commands)
    assert forge.states(change.head)[0] == "pending"


def test_the_runners_own_shell_is_gone_before_code_of_the_project_runs() -> None:
    """A parent that holds the variables could be read in /proc by what it started."""
    (line,) = re.findall(
        r"^ +exec ragate action .*$", manual_workflow("ragate-main-code"), re.MULTILINE
    )

    assert line.split()[1:3] == ["ragate", "action"]


def test_what_was_recorded_on_the_runner_is_committed_by_the_job_that_may_write(
    forge: Forge, change: Change
) -> None:
    other = RAG.replace(
        "    return only_here.answer(query)",
        """
    found = only_here.answer(query)
    more = {"doc_id": "more.md", "text": "More."}
    return {**found, "chunks": [*found["chunks"], more]}""",
    )
    change = forge.change({"rag.py": other.encode()})
    forge.github.git.move("main", change.merge, forge.base)
    recorded = record(forge, entrypoint=[RAGATE, *workflow_run("record")])
    assert (recorded.exit_code, recorded.outputs["verdict"]) == (0, "recorded"), recorded.log
    assert forge.github.writes() == []
    files = {path.name: path.read_bytes() for path in (forge.last / "ragate-baseline").iterdir()}

    result = committed(forge, files)

    assert (result.exit_code, result.outputs["verdict"]) == (0, "recorded"), result.log
    assert baseline_of(forge)["recorded"]["commit"] == change.merge
    assert set(files) == {"gate.json"}


@pytest.mark.parametrize(
    ("files", "code", "verdict"),
    [
        ({}, 0, "kept"),
        ({"other.json": b"{}"}, 0, "kept"),
        ({"gate.json": b"{}"}, 2, "error"),
        ({"gate.json": b'{"schema": NaN}'}, 2, "error"),
    ],
)
def test_what_is_no_recorded_baseline_is_not_committed(
    forge: Forge, files: dict[str, bytes], code: int, verdict: str
) -> None:
    result = committed(forge, files)

    assert (result.exit_code, result.outputs["verdict"]) == (code, verdict), result.log
    assert forge.github.writes() == []


def committed(forge: Forge, files: dict[str, bytes]) -> StepResult:
    """Run the second job of main's workflow on what the first one left."""
    return record(
        forge,
        inputs={"mode": "baseline", "outputs-path": "ragate-baseline", "gate": "gate"},
        files={f"ragate-baseline/{name}": content for name, content in files.items()},
    )


def test_without_allow_code_nothing_of_the_repository_runs(forge: Forge, change: Change) -> None:
    arguments = [one for one in workflow_run("collect") if one != "--allow-code"]

    result = on_runner(forge, change, *arguments)

    assert result.exit_code == 2
    assert any("allow-code is not true" in one.data for one in result.annotations("error"))


def test_an_input_that_an_earlier_step_left_as_a_variable_is_not_read(
    forge: Forge, change: Change
) -> None:
    inputs = {"allow-code": "true", "mode": "check"}  # as INPUT_… variables

    result = on_runner(forge, change, "action", "--mode", "collect", inputs=inputs)

    assert result.exit_code == 2, result.log


def test_the_token_is_nobodys_but_ours(forge: Forge, change: Change) -> None:
    environment = {"GITHUB_TOKEN": "ghs_c4nary"}
    result = on_runner(forge, change, *workflow_run("collect"), env=environment)

    assert result.exit_code == 0, result.log
    assert "ghs_c4nary" not in result.raw_log


def test_elsewhere_it_says_that_it_is_for_workflows(tmp_path: Path) -> None:
    from tests.e2e.command import ragate

    result = ragate(tmp_path, "action", "--mode", "collect")

    assert result.returncode == 2
    assert "elsewhere use the command ragate" in result.stdout + result.stderr
