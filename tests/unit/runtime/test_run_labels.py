"""What is noted with a run, and the branch that it is of."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ragate.models import RunManifest, SystemInfo
from ragate.runtime.run_labels import RunLabels, branch_of, noted

MANIFEST = RunManifest(
    system=SystemInfo(use="replay"), branch="old", meta={"a": "1"}, description="said before"
)


def test_what_is_named_is_noted():
    named = noted(MANIFEST, RunLabels({"b": "2"}, "said now"), branch="main")

    assert (named.branch, named.meta, named.description) == ("main", {"b": "2"}, "said now")


def test_what_is_not_named_stays():
    assert noted(MANIFEST, RunLabels()) == MANIFEST


def test_a_pull_request_is_of_its_own_branch(tmp_path: Path):
    job = {"GITHUB_HEAD_REF": "feature", "GITHUB_REF_NAME": "7/merge", "GITHUB_REF_TYPE": "branch"}

    assert branch_of(job, tmp_path) == "feature"


def test_a_push_is_of_the_branch_that_its_job_names(tmp_path: Path):
    job = {"GITHUB_HEAD_REF": "", "GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch"}

    assert branch_of(job, tmp_path) == "main"


def test_a_tag_is_no_branch(tmp_path: Path):
    assert branch_of({"GITHUB_REF_NAME": "v1", "GITHUB_REF_TYPE": "tag"}, tmp_path) == ""


def test_on_a_machine_it_is_the_branch_that_is_checked_out(tmp_path: Path):
    subprocess.run(["git", "init", "-q", "-b", "try-bm25", str(tmp_path)], check=True)

    assert branch_of({}, tmp_path) == "try-bm25"
