"""All checks of one project: one that fails hides no other."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragate.cli.finding import Status
from tests.unit.cli.doctor.doctor_factories import checks


def test_a_project_that_lacks_only_its_baseline_ends_with_3(project: Path) -> None:
    found = checks(project)
    wrong = {name for name, ones in found.items() if any(one.exit_code for one in ones)}

    assert wrong == {"baseline"}
    assert found["baseline"][0].exit_code == 3
    assert "baseline update" in found["baseline"][0].remedy


def test_without_a_configuration_the_state_folder_is_still_checked(tmp_path: Path) -> None:
    found = checks(tmp_path)

    assert "ragate init" in found["configuration"][0].remedy
    assert found["golden set"][0].status is Status.SKIPPED
    assert found["state folder"][0].status is Status.OK


def test_a_wrong_key_does_not_hide_a_wrong_golden_set_and_baseline(project: Path) -> None:
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace("baseline =", "max_minuts = 3\nbaseline ="))
    (project / "golden.jsonl").write_text('{"id": "q1", "query": 7.5}\n')
    (project / "baseline.json").write_text("{")

    found = checks(project)

    assert "max_minutes" in found["configuration"][0].message
    assert "golden.jsonl:1" in found["golden set"][0].message
    assert [one.exit_code for one in found["baseline"]] == [2]


def test_a_wrong_variable_is_named_and_the_rest_is_checked(project: Path) -> None:
    found = checks(project, RAGATE_TIMEOUT_S="soon")

    assert "RAGATE_TIMEOUT_S" in found["environment"][0].message
    assert found["recordings"][0].status is Status.OK


def test_an_env_file_that_is_no_text_is_named_and_the_rest_is_checked(project: Path) -> None:
    (project / ".env").write_bytes(b"KEY=\xff\xfe")

    found = checks(project)

    assert ".env" in found["environment"][0].message
    assert found["golden set"][0].status is Status.OK


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        ((), "not ignored by git"),
        (("git", "add", "--force", ".env"), ".env is in git"),
    ],
)
def test_an_env_file_that_git_may_get_hold_of_is_warned_of(
    project: Path, prepare: tuple[str, ...], told: str
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / ".env").write_text("KEY=x\n")
    if prepare:
        subprocess.run(prepare, cwd=project, check=True)

    assert [told in one.message for one in checks(project)["environment"]] == [True]


def test_an_env_file_that_git_ignores_is_no_finding(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / ".gitignore").write_text(".env\n")
    (project / ".env").write_text("KEY=x\n")

    assert "environment" not in checks(project)


def test_a_system_of_foreign_code_that_breaks_at_import_is_a_finding(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "crashing_rag.py").write_text("raise RuntimeError('no GPU')\n")
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace('"replay"', '"crashing_rag:create"'))
    monkeypatch.syspath_prepend(str(project))

    found = checks(project)

    assert "no GPU" in found["system"][0].message
    assert found["golden set"][0].status is Status.OK


def test_git_that_does_not_ignore_the_state_folder_is_warned_of(project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    assert [one.status for one in checks(project)["state folder"]] == [Status.OK, Status.WARNING]

    (project / ".gitignore").write_text(".ragate/\n")
    assert [one.status for one in checks(project)["state folder"]] == [Status.OK]
