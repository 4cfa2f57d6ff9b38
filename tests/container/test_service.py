"""Gates in the container that need the job's Postgres service."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from tests.container.images import ROOT
from tests.container.manual import copy_manual, run_command
from tests.container.runner import StepResult
from tests.container.service import Job
from tests.projects import write_docs_project

pytestmark = pytest.mark.container

# Both are measured in benchmarks/results/image.txt.
WHOLE_GATE_S = 30.0
WRONG_HOST_S = 15.0


def check(job: Job, image: str, workspace: Path, url: str = "") -> StepResult:
    return run_command(job, image, workspace, "ragate", "check", url=url)


def test_the_service_is_reached_by_its_name(job: Job, image: str, tmp_path: Path):
    write_docs_project(tmp_path)

    result = check(job, image, tmp_path)

    assert "ingested 8 documents" in result.log
    assert "8/8 samples" in result.log


def test_localhost_as_the_database_host_is_answered_with_the_name_of_the_service(
    job: Job, image: str, tmp_path: Path
):
    write_docs_project(tmp_path)
    started = time.monotonic()

    result = check(job, image, tmp_path, "postgresql://ragate:s3cret-pw@localhost:5432/ragate")

    assert result.exit_code == 3
    assert "postgres:5432" in result.log
    assert time.monotonic() - started < WRONG_HOST_S
    assert "s3cret-pw" not in result.raw_log


def test_a_wrong_password_is_named_and_not_shown(job: Job, image: str, tmp_path: Path):
    write_docs_project(tmp_path)

    result = check(job, image, tmp_path, job.url.replace(":ragate@", ":s3cret-pw@"))

    assert result.exit_code == 3
    assert "password authentication failed" in result.log
    assert "s3cret-pw" not in result.raw_log


@pytest.mark.parametrize(
    "place", ["docs/apples.md", "docs/new.md", "golden.jsonl", "ragate.toml", "baselines/docs.json"]
)
def test_a_link_to_the_environment_of_the_container_leaks_nothing(
    job: Job, image: str, tmp_path: Path, place: str
):
    write_docs_project(tmp_path)
    link = tmp_path / place
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to("/proc/self/environ")

    result = run_command(
        job, image, tmp_path, "ragate", "check", env={"OPENAI_API_KEY": "sk-canary-key"}
    )

    assert result.exit_code in {2, 3}, result.log
    assert "sk-canary-key" not in result.raw_log
    for path in (tmp_path / ".ragate").rglob("*"):
        assert path.is_dir() or b"sk-canary-key" not in path.read_bytes()


def test_the_whole_gate_on_our_manual_takes_half_a_minute_at_most(
    job: Job, image: str, tmp_path: Path
):
    copy_manual(tmp_path)
    shutil.copytree(ROOT / "baselines", tmp_path / "baselines")

    result = check(job, image, tmp_path)

    newest = max((tmp_path / ".ragate" / "runs").glob("*/report.json"))
    report = json.loads(newest.read_text())
    samples = (ROOT / "evals" / "golden.jsonl").read_text().splitlines()
    assert result.exit_code in {0, 1}, result.log
    assert report["facts"]["samples"] == len(samples)
    assert result.seconds <= WHOLE_GATE_S
