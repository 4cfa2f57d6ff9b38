"""What other repositories call: the jobs that init writes, for callers of six lines."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.workflows.blocks import ROOT, workflows
from tests.workflows.reusable import FOLDER, callers, events_of, reusable
from tests.workflows.written import manual_workflow

CALLERS = list(callers())
IDS = [place for place, *_ in CALLERS]
LEVELS = ("none", "read", "write")
# The job of a reusable workflow, and the workflow of `ragate init` that it comes from.
JOBS = [
    ("gate.yml", "gate", "ragate"),
    ("gate.yml", "obey", "ragate-commands"),
    ("gate.yml", "baseline", "ragate-main"),
    ("gate-code.yml", "decide", "ragate-decide"),
    ("gate-code.yml", "obey", "ragate-commands"),
    ("gate-code.yml", "record", "ragate-main-code"),
    ("gate-code.yml", "baseline", "ragate-main-code"),
    ("collect.yml", "collect", "ragate-collect-code"),
]


def plain(job: dict[str, Any]) -> dict[str, Any]:
    """Return a job without what a caller's events and inputs make necessary."""
    kept = {key: one for key, one in job.items() if key not in ("if", "concurrency")}
    text = yaml.safe_dump(kept)
    for given, said in (
        ('"$GATE"', "docs"),
        ("$INSTALL", "--requirement requirements.txt"),
        ("${{ inputs.gate }}", "docs"),
        ("${{ inputs.python-version }}", "'3.12'"),
    ):
        text = text.replace(given, said)
    found: dict[str, Any] = yaml.safe_load(text)
    for step in found["steps"]:
        for name in ("GATE", "INSTALL"):
            step.get("env", {}).pop(name, None)
        if step.get("env") == {}:
            del step["env"]
    return found


def test_every_job_is_listed():
    found = [(name, job) for name, workflow in reusable().items() for job in workflow["jobs"]]

    assert sorted(found) == sorted((name, job) for name, job, _ in JOBS)


@pytest.mark.parametrize(("name", "job", "written"), JOBS)
def test_a_job_is_the_one_that_init_writes(name: str, job: str, written: str):
    theirs = yaml.safe_load(manual_workflow(written))["jobs"][job]

    assert plain(reusable()[name]["jobs"][job]) == plain(theirs)


@pytest.mark.parametrize("name", reusable())
def test_it_is_called_by_an_example_of_the_manual(name: str):
    assert name in {callee for *_, callee in CALLERS}


@pytest.mark.parametrize("name", reusable())
def test_no_two_jobs_wait_for_one_another_and_each_has_its_gates_group(name: str):
    groups = [job["concurrency"]["group"] for job in reusable()[name]["jobs"].values()]

    assert len(set(groups)) == len(groups)
    assert all("${{ inputs.gate }}" in group for group in groups)


@pytest.mark.parametrize("name", reusable())
def test_no_input_stands_in_a_line_of_a_shell(name: str):
    for job in reusable()[name]["jobs"].values():
        assert not [step for step in job["steps"] if "${{" in step.get("run", "")]


def test_a_caller_has_six_lines():
    called = [block for block in workflows() if "/.github/workflows/" in block.text]

    assert len(called) >= 3
    for block in called:
        assert len(block.text.splitlines()) <= 6, block.name


@pytest.mark.parametrize(("place", "workflow", "job", "callee"), CALLERS, ids=IDS)
def test_a_caller_grants_what_the_jobs_need_and_no_more(
    place: str, workflow: dict[str, Any], job: dict[str, Any], callee: str
):
    """GitHub refuses a call whose jobs ask for more than the caller grants, skipped ones too."""
    needed: dict[str, str] = {}
    for one in reusable()[callee]["jobs"].values():
        for scope, level in one["permissions"].items():
            needed[scope] = max(needed.get(scope, "none"), level, key=LEVELS.index)

    assert job["permissions"] == needed, place


@pytest.mark.parametrize(("place", "workflow", "job", "callee"), CALLERS, ids=IDS)
def test_a_caller_gives_what_is_declared(
    place: str, workflow: dict[str, Any], job: dict[str, Any], callee: str
):
    declared = reusable()[callee]["on"]["workflow_call"]

    assert set(job.get("with", {})) <= set(declared["inputs"]), place
    assert set(job.get("secrets", {})) == set(declared.get("secrets", {})), place


@pytest.mark.parametrize(("place", "workflow", "job", "callee"), CALLERS, ids=IDS)
def test_whatever_sets_a_caller_off_is_answered_by_a_job(
    place: str, workflow: dict[str, Any], job: dict[str, Any], callee: str
):
    jobs = reusable()[callee]["jobs"]
    answered = set().union(*(events_of(one, jobs) for one in jobs.values()))

    assert set(workflow["on"]) <= answered, place


def test_the_second_half_waits_for_the_first_by_its_name():
    names = [one["name"] for _, one, _, callee in CALLERS if callee == "collect.yml"]
    (second,) = [one for _, one, _, callee in CALLERS if callee == "gate-code.yml"]

    assert second["on"]["workflow_run"]["workflows"] == names


def test_a_maintainer_puts_a_releases_commit_into_each_again_and_again(tmp_path: Path):
    folder = tmp_path / ".github" / "workflows"
    shutil.copytree(FOLDER, folder)
    for commit in ("a1" * 20, "b2" * 20):
        subprocess.run([str(ROOT / ".ci/name-action"), commit], cwd=tmp_path, check=True)

        for path in folder.iterdir():
            named = set(re.findall(r"ragate/ragate@(\w+)", path.read_text()))
            assert named == ({commit} if path.name in reusable() else set()), path.name


def test_the_steps_of_a_release_have_it():
    assert "`.ci/name-action" in (ROOT / "docs/releasing.md").read_text()


def test_what_is_no_commit_is_named_nowhere(tmp_path: Path):
    done = subprocess.run([str(ROOT / ".ci/name-action"), "v1"], cwd=tmp_path, check=False)

    assert done.returncode == 2
