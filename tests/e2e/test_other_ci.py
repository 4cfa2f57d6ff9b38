"""The pipelines of the page on other CI systems: valid by their schemas, and run line by line.

No service runs them here. `pip` is a stand-in that installs nothing, and the note goes to a server
of the test.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.command import CLEAN, RAGATE, ragate
from tests.projects import ReplayProject
from tests.repositories import commit, git
from tests.servers.notes import NoteServer, note_server

pytestmark = pytest.mark.e2e
PAGE = (Path(__file__).parents[2] / "docs" / "self-hosted.md").read_text()
BLOCKS = dict(re.findall(r"<!-- ci: ([\w-]+) -->\n```yaml\n(.*?)```", PAGE, re.DOTALL))
SCHEMAS = ("gitlab-ci", "bitbucket-pipelines", "azure-pipelines")
PARSED: dict[str, Any] = {name: yaml.safe_load(text) for name, text in BLOCKS.items()}


@pytest.fixture
def notes() -> Iterator[NoteServer]:
    with note_server() as server:
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout of a merge request, with a remote as the service has one."""
    origin = tmp_path / "origin"
    origin.mkdir()
    ReplayProject(origin)
    assert ragate(origin, "baseline", "update").returncode == 0
    (origin / "requirements.txt").write_text("")
    (origin / ".gitignore").write_text(".ragate/\n")
    git(origin, "init", "-q", "-b", "main")
    commit(origin, "a state")
    git(tmp_path, "clone", "-q", str(origin), "checkout")
    return tmp_path / "checkout"


def lines(folder: Path, script: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a job's lines as a service does: one shell that ends with the first that fails."""
    programs = folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    pip = programs / "pip"
    pip.write_text('#!/bin/sh\necho "$@" >> "$(dirname "$0")/installed"\n')
    pip.chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(RAGATE).parent), CLEAN["PATH"]])
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(script)],
        cwd=folder,
        env={**CLEAN, "PATH": path, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def scripts() -> dict[str, list[str]]:
    """Return the lines of each service's job that runs the gate."""
    (step,) = PARSED["bitbucket-pipelines"]["pipelines"]["pull-requests"]["**"]
    azure = [one["script"] for one in PARSED["azure-pipelines"]["steps"] if "script" in one]
    return {
        "gitlab-ci": PARSED["gitlab-ci"]["ragate"]["script"],
        "bitbucket-pipelines": step["step"]["script"],
        "azure-pipelines": azure[:2],
    }


# What each service sets by itself, or by the pipeline's file.
VARIABLES = {
    "gitlab-ci": {"CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"},
    "bitbucket-pipelines": {"CI": "true"},
    "azure-pipelines": {**PARSED["azure-pipelines"]["variables"], "TF_BUILD": "True"},
}


def files(name: str) -> list[str]:
    """Return the files that the service keeps."""
    (step,) = PARSED["bitbucket-pipelines"]["pipelines"]["pull-requests"]["**"]
    gitlab = PARSED["gitlab-ci"]["ragate"]["artifacts"]
    published = PARSED["azure-pipelines"]["steps"][-1]["inputs"]["testResultsFiles"]
    return {
        "gitlab-ci": [*gitlab["paths"], gitlab["reports"]["junit"]],
        "bitbucket-pipelines": [
            *step["step"]["artifacts"]["upload"][0]["paths"],
            "test-results/ragate.xml",
        ],
        "azure-pipelines": ["report.md", published],
    }[name]


def test_there_is_a_recipe_for_each():
    assert set(BLOCKS) == set(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_recipe_is_valid_by_its_schema(name: str, tmp_path: Path):
    pytest.importorskip(
        "check_jsonschema", reason="check-jsonschema, of the extra dev, is not installed"
    )
    path = tmp_path / "pipeline.yml"
    path.write_text(BLOCKS[name])
    options = ["--builtin-schema", f"vendor.{name}", "--regex-variant", "python"]
    if name != "bitbucket-pipelines":
        options += ["--data-transform", name]
    found = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *options, str(path)],
        capture_output=True,
        text=True,
    )

    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_recipes_lines_pass_what_is_right_and_fail_what_is_not(name: str, project: Path):
    right = lines(project, scripts()[name], **VARIABLES[name])

    assert right.returncode == 0, right.stdout + right.stderr
    assert "PASSED" in right.stdout
    assert all((project / file).read_text() for file in files(name))
    installed = (project.parent / "programs/installed").read_text()
    assert installed == "install --quiet --requirement requirements.txt ragate[embedded]\n"

    for path in (project / "outputs").iterdir():
        path.write_text(path.read_text().replace('"doc_id": "doc', '"doc_id": "page'))
    broken = lines(project, scripts()[name], **VARIABLES[name])

    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "hit_rate@5" in (project / files(name)[0]).read_text()
    assert "<failure" in (project / files(name)[1]).read_text()


@pytest.mark.skipif(shutil.which("curl") is None, reason="not installed: curl")
def test_gitlabs_note_is_the_report(project: Path, notes: NoteServer):
    (project / "report.md").write_text("## ragate\n\n**FAILED** `a` & b\n")
    done = lines(
        project,
        PARSED["gitlab-ci"]["ragate-note"]["script"],
        CI_API_V4_URL=notes.url,
        CI_PROJECT_ID="7",
        CI_MERGE_REQUEST_IID="12",
        RAGATE_NOTE_TOKEN="a-token",
    )

    assert done.returncode == 0, done.stderr
    assert notes.paths == ["/projects/7/merge_requests/12/notes"]
    assert notes.tokens == ["a-token"]
    assert b'name="body"\r\n\r\n## ragate\n\n**FAILED** `a` & b\n\r\n' in notes.bodies[0]


def test_the_job_with_gitlabs_token_takes_no_code_of_the_project():
    note = PARSED["gitlab-ci"]["ragate-note"]

    assert note["variables"]["GIT_STRATEGY"] == "none"
    assert "RAGATE_NOTE_TOKEN" not in yaml.safe_dump(PARSED["gitlab-ci"]["ragate"])


def test_azures_summary_is_the_report_and_comes_after_a_red_run_too(project: Path):
    (step,) = [one for one in PARSED["azure-pipelines"]["steps"] if "##vso" in str(one)]
    (project / "report.md").write_text("## ragate\n")

    done = lines(project, [step["script"]])

    assert done.stdout == f"##vso[task.uploadsummary]{project}/report.md\n"
    assert step["condition"] == "always()"
