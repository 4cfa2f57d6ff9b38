"""No job that runs a pull request's code holds a key or may write; ours and the documented ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.workflows.blocks import ROOT, workflows
from tests.workflows.reusable import called_jobs, callers, loaded

OURS = "ragate/ragate@"
# What a stranger, or the author of a pull request, can set off.
_FOREIGN = {"pull_request", "pull_request_target", "workflow_run", "issue_comment"}
# GitHub takes the workflow from the default branch, and so does a plain checkout.
_FROM_MAIN = {"workflow_run", "issue_comment"}
_SECRET = re.compile(r"\bsecrets\s*[.\[]")


def jobs() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield every job with its place and its workflow; a reusable one's, for each that calls it."""
    found = [(f"{one.page}:{one.line}", one.parsed()) for one in workflows()]
    files = [*(ROOT / ".github/workflows").glob("*.yml"), ROOT / "examples/workers/workflow.yml"]
    found += [(path.name, loaded(path)) for path in sorted(files)]
    calling = {place for place, *_ in callers()}
    for place, workflow in found:
        for name, job in workflow["jobs"].items():
            if "workflow_call" not in workflow["on"] and f"{place}:{name}" not in calling:
                yield f"{place}:{name}", workflow, job
    yield from called_jobs()


def triggers(workflow: dict[str, Any]) -> set[str]:
    on = workflow["on"]
    return {on} if isinstance(on, str) else set(on)


def checks_out_change(step: dict[str, Any], on: set[str]) -> bool:
    """Whether a checkout brings files of the pull request."""
    if not str(step.get("uses", "")).startswith("actions/checkout@"):
        return False
    ref = str((step.get("with") or {}).get("ref", ""))
    if on & _FROM_MAIN:
        return "head" in ref or "merge" in ref
    return bool(on & _FOREIGN)


def runs_change(workflow: dict[str, Any], job: dict[str, Any]) -> bool:
    """Whether the job executes anything of a pull request."""
    on, there = triggers(workflow), False
    for step in job["steps"]:
        there = there or checks_out_change(step, on)
        given = step.get("with") or {}
        allowed = str(given.get("allow-code", "false")).lower() == "true"
        if there and ("run" in step or str(step.get("uses", "")).startswith("./") or allowed):
            return True
    return False


def holds(workflow: dict[str, Any], job: dict[str, Any]) -> list[str]:
    """Return the keys and write permissions that are in the job's reach."""
    asked = job.get("permissions", workflow.get("permissions"))
    found = ["all permissions"] if asked is None or asked == "write-all" else []
    if isinstance(asked, dict):
        found += [f"{scope}: write" for scope, level in asked.items() if level == "write"]
    if _SECRET.search(yaml.safe_dump([job, workflow.get("env")])):
        found.append("a secret")
    return found


JOBS = list(jobs())


def test_no_job_that_runs_a_pull_requests_code_holds_a_key_or_may_write():
    for place, workflow, job in JOBS:
        if runs_change(workflow, job):
            assert holds(workflow, job) == [], place


def test_a_gate_is_never_skipped_by_a_filter_or_a_condition():
    for place, workflow, job in JOBS:
        on = workflow["on"] if isinstance(workflow["on"], dict) else {}
        gates = any(str(step.get("uses", "")).startswith(OURS) for step in job["steps"])
        if not gates or triggers(workflow) & {"issue_comment"}:
            continue
        assert "if" not in job, place
        for name in ("pull_request", "merge_group"):
            assert not {"paths", "paths-ignore"} & set(on.get(name) or {}), place


def test_a_comment_takes_nobody_elses_place_in_the_queue():
    """A group of the workflow is joined before the job's `if`, by whoever writes anything."""
    for place, workflow, job in JOBS:
        if "issue_comment" not in triggers(workflow):
            continue
        assert "concurrency" not in workflow, place
        assert "/ragate" in job["if"], place
        assert "github.event.comment.user.id" in job["concurrency"]["group"], place


def test_a_pull_request_that_is_pointed_at_another_branch_is_judged_anew():
    """The half that judges takes an older verdict back itself: the other half is the change's."""
    for place, workflow, job in JOBS:
        on = workflow["on"] if isinstance(workflow["on"], dict) else {}
        for step in job["steps"]:
            if not str(step.get("uses", "")).startswith((OURS, "./")):
                continue
            mode = (step.get("with") or {}).get("mode", "check")
            if "pull_request" in on and mode in ("check", "collect"):
                types = (on["pull_request"] or {}).get("types", [])
                assert {"opened", "synchronize", "reopened", "edited"} <= set(types), place
            if "workflow_run" in on and mode == "decide":
                types = (on.get("pull_request_target") or {}).get("types", [])
                assert {"opened", "reopened", "edited"} <= set(types), place


def test_what_a_verdict_rests_on_is_kept_for_the_next_attempt():
    for place, workflow, job in JOBS:
        steps = job["steps"]
        gates = [step for step in steps if str(step.get("uses", "")).startswith((OURS, "./"))]
        modes = {(step.get("with") or {}).get("mode", "check") for step in gates}
        if not modes & {"check", "decide"} or not triggers(workflow) & _FOREIGN:
            continue
        gate = gates[0]["with"]["gate"]
        uploads = [
            step["with"]
            for step in steps
            if str(step.get("uses", "")).startswith("actions/upload-artifact@")
            and step.get("if") == "always()"
        ]
        assert [one["path"] for one in uploads] == [".ragate/result"], place
        assert uploads[0]["include-hidden-files"] is True, place
        assert uploads[0]["name"].startswith(f"ragate-{gate}-${{{{"), place
        assert uploads[0]["name"].endswith("-${{ github.run_attempt }}"), place
        assert job["permissions"]["actions"] == "read", place


def test_there_are_jobs_of_both_kinds_to_judge():
    """The tests above would pass on nothing, or on a rule that sees nothing."""
    risky = [place for place, workflow, job in JOBS if runs_change(workflow, job)]
    trusted = [place for place, workflow, job in JOBS if holds(workflow, job)]
    assert len(risky) >= 4
    assert len(trusted) >= 6
    assert any("forks" in place for place in risky)


TARGET = """
on: pull_request_target
jobs: {a: {permissions: {contents: write}, steps: [{uses: actions/checkout@x}, {run: make}]}}
"""
HEAD_OF_RUN = """
on: workflow_run
jobs:
  a:
    permissions: {}
    steps:
      - {uses: actions/checkout@x, with: {ref: "${{ github.event.workflow_run.head_sha }}"}}
      - run: make
"""
SECRET = """
on: pull_request
permissions: {}
jobs: {a: {env: {K: "${{ secrets.K }}"}, steps: [{uses: actions/checkout@x}, {uses: ./}]}}
"""
UNSAID = "{on: issue_comment, jobs: {a: {steps: [{run: make}]}}}"


@pytest.mark.parametrize(
    ("text", "risky", "held"),
    [
        (TARGET, True, ["contents: write"]),
        (HEAD_OF_RUN, True, []),
        (SECRET, True, ["a secret"]),
        (UNSAID, False, ["all permissions"]),
    ],
)
def test_the_rule_sees_the_usual_mistakes(text: str, risky: bool, held: list[str]):
    workflow = {"on" if k is True else k: v for k, v in yaml.safe_load(text).items()}
    job = workflow["jobs"]["a"]
    assert runs_change(workflow, job) is risky
    assert holds(workflow, job) == held


def test_no_job_that_installs_what_is_not_locked_may_write():
    """A package that is not pinned by its hash may be anything tomorrow, a thief of tokens too."""
    loose = re.compile(r"pip\S* install (?!.*--require-hashes)")
    found = [
        place
        for place, _workflow, job in JOBS
        if "write" in dict(job.get("permissions") or {}).values()
        for step in job["steps"]
        if loose.search(str(step.get("run", "")))
    ]

    assert found == []
