"""What is left to do after the files are written."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from ragate.cli.init.action_workflows import action_workflows
from ragate.cli.init.config_text import Choice
from ragate.cli.init.next_steps import keys_needed, next_steps
from ragate.cli.init.plan import WritePlan
from ragate.cli.init.survey import Survey, look
from ragate.cli.init.workflow_files import with_packages
from tests.unit.cli.init.init_factories import write


def steps(**settings: Any) -> str:
    choice = Choice("http", "", settings=settings)
    root = Path("project")
    return "\n".join(next_steps(Survey(root=root, top=root), WritePlan(choice)))


def test_a_service_that_wants_a_header_needs_its_variable_in_the_job():
    told = steps(headers_env={"Authorization": "RAG_AUTHORIZATION"})

    assert "Set RAG_AUTHORIZATION in the job as well" in told
    assert "No secret is needed" not in told


def test_no_secret_is_needed_only_where_it_answered_without_one():
    code = Choice("python", "", keys=("OPENAI_API_KEY",), fills=("ingest.py",))

    asked, unasked = (" ".join(keys_needed(replace(code, keyless=one))) for one in (True, False))

    assert "No secret is needed" in asked
    assert "The code reads OPENAI_API_KEY, and in CI" in unasked
    assert "ingest.py is in no workflow yet" in unasked
    assert "secret" not in " ".join(keys_needed(Choice("python", "")))


def test_what_a_request_sends_is_no_key_that_the_code_reads():
    sent = {"headers_env": {"Authorization": "RAG_AUTHORIZATION"}, "start": ["python", "a.py"]}

    told = " ".join(keys_needed(Choice("http", "", keys=("RAG_AUTHORIZATION",), settings=sent)))

    assert told == ""


def test_jobs_of_main_get_the_keys_that_the_code_reads_and_those_of_a_change_say_so():
    code = Choice("python", "", keys=("COHERE_API_KEY",), seeds=("make seed",))

    texts = action_workflows(code, gate="g", commit=COMMIT)

    secret = "COHERE_API_KEY: ${{ secrets.COHERE_API_KEY }}"
    assert texts["ragate-main.yml"].count(secret) == 2  # the index, then the questions
    assert secret not in texts["ragate-collect.yml"]
    assert "# the code reads COHERE_API_KEY" in texts["ragate-collect.yml"]


COMMIT = "c0ffee" * 6 + "c0ff"
OWN = {"target": "a:b", "interpreter": [".venv/bin/python"]}


def commands(choice: Choice, folder: str = "") -> list[str]:
    texts = action_workflows(choice, gate="g", commit=COMMIT, folder=folder)
    steps = yaml.safe_load(texts["ragate-collect.yml"])["jobs"]["collect"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    assert runs[0].startswith('python -m venv "$RUNNER_TEMP/gate"')
    return runs[1:]


@pytest.mark.parametrize(
    ("files", "folder", "told"),
    [
        (("requirements.txt",), "", "--requirement requirements.txt"),
        (("apps/a/requirements.txt", "requirements.txt"), "apps/a", "--requirement apps/a/"),
        (("requirements.txt", "apps/a/x"), "apps/a", "--requirement requirements.txt"),
        (("pyproject.toml",), "", "--editable ."),
        (("apps/a/pyproject.toml",), "apps/a", "--editable ./apps/a"),
        (("x",), "", ""),
    ],
)
def test_the_nearest_list_of_packages_is_installed(
    tmp_path: Path, files: tuple[str, ...], folder: str, told: str
) -> None:
    write(tmp_path, dict.fromkeys(files, ""))
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    choice = with_packages(look(tmp_path / folder), Choice("python", ""))
    assert choice.packages.startswith(told)


@pytest.mark.parametrize(
    ("lock", "folder", "own", "told"),
    [
        ("uv.lock", "", True, 'UV_PROJECT_ENVIRONMENT="$GITHUB_WORKSPACE"/.venv uv sync --frozen'),
        ("uv.lock", "", False, "uv export --frozen --no-hashes --output-file"),
        ("a/uv.lock", "a", True, 'cd a && UV_PROJECT_ENVIRONMENT="$GITHUB_WORKSPACE"/a/.venv uv'),
        ("poetry.lock", "", True, "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install"),
        ("poetry.lock", "", False, "POETRY_VIRTUALENVS_CREATE=false poetry install"),
    ],
)
def test_what_a_lock_file_names_is_installed_by_the_tool_that_wrote_it(
    tmp_path: Path, lock: str, folder: str, own: bool, told: str
) -> None:
    write(tmp_path, {lock: "", f"{folder or '.'}/requirements.txt": ""})
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    settings = OWN if own else {"target": "a:b"}

    choice = with_packages(look(tmp_path / folder), Choice("python", "", settings=settings))
    first, *others = commands(choice, folder)

    tool = PurePosixPath(lock).stem
    assert first.startswith(f"pip install {tool} && ")
    assert told in first
    assert "install git+https://github.com/" in others[0]


def test_ragate_is_installed_beside_the_packages() -> None:
    installed, run = commands(Choice("python", "", packages="--requirement requirements.txt"))

    assert installed.startswith(
        "pip install --requirement requirements.txt git+https://github.com/"
    )
    assert run.startswith("ragate action --mode collect")


def test_an_environment_of_its_own_stays_apart_from_ragates() -> None:
    own, apart, _ = commands(Choice("python", "", settings=OWN, packages="."), folder="apps/a")

    assert own == "python -m venv apps/a/.venv && apps/a/.venv/bin/pip install ."
    assert '"$RUNNER_TEMP/ragate/bin/pip" install git+https://github.com/' in apart


def test_without_a_list_of_packages_ragate_alone_is_installed() -> None:
    assert commands(Choice("python", ""))[0].startswith("pip install git+https://github.com/")


def test_a_service_that_is_started_runs_on_the_runner() -> None:
    service = Choice("http", "", settings={"start": ["python", "-m", "uvicorn", "a:b"]})

    assert "ragate action --mode collect" in commands(service)[-1]
    running = action_workflows(Choice("http", ""), gate="g", commit=COMMIT)
    assert "ragate-collect.yml" not in running


@pytest.mark.parametrize("settings", [{"url": "https://a.example/mcp"}, {"command": ["python"]}])
def test_an_mcp_system_is_asked_on_the_runner_with_its_library(settings: dict[str, object]) -> None:
    *_, install, run = commands(Choice("mcp", "", settings=settings))

    assert f"'ragate[mcp] @ git+https://github.com/ragate/ragate@{COMMIT}'" in install
    assert run.startswith("ragate action --mode collect")
    assert ("--allow-code" in run) is ("command" in settings)


def test_the_baseline_of_an_mcp_system_is_recorded_with_its_library() -> None:
    texts = action_workflows(Choice("mcp", "", settings={"url": "u"}), gate="g", commit=COMMIT)

    assert "'ragate[mcp] @ git+https" in texts["ragate-main.yml"]
