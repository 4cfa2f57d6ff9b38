"""A second init: what the first one wrote gives way to what today's system needs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.cli.workflows import of_folder
from ragate.config import load_config
from tests.unit.cli.init.init_factories import pages, write

COMMIT = "c0ffee" * 6 + "c0ff"
ALL = {"ragate.yml", "ragate-commands.yml", "ragate-main.yml"}
PAIR = (ALL - {"ragate.yml"}) | {"ragate-collect.yml", "ragate-decide.yml"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gate over documents, whose system has become code since."""
    root = write(tmp_path / "handbook", pages("docs/a.md"))
    monkeypatch.chdir(root)
    assert run(["init", "--yes", "--action", COMMIT]) == 0
    assert written(root) == ALL
    config = root / "ragate.toml"
    head = config.read_text().partition("[system]")[0].replace('["pgvector"]', '["python"]')
    config.write_text(f'{head}[system]\nuse = "python"\ntarget = "rag:answer"\n')
    return root


def folder(root: Path) -> Path:
    return root / ".github/workflows"


def written(root: Path) -> set[str]:
    return {path.name for path in folder(root).iterdir()}


def test_workflows_of_another_kind_give_way_with_yes(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "--yes"]) == 0

    told = capsys.readouterr().out
    assert written(project) == PAIR
    assert ".github/workflows/ragate.yml: removed" in told
    assert ".github/workflows/ragate-main.yml: replaced" in told
    assert "setup-python" in (folder(project) / "ragate-main.yml").read_text()


def test_the_key_of_a_provider_stands_in_the_jobs_that_judge(project: Path) -> None:
    config = project / "ragate.toml"
    provider = 'base_url = "https://llm.example/v1"\nkey_env = "JUDGE_KEY"\n'
    config.write_text(f"{config.read_text()}[policy.providers.own]\n{provider}")

    assert run(["init", "--yes"]) == 0

    secret = "JUDGE_KEY: ${{ secrets.JUDGE_KEY }}"
    assert secret in (folder(project) / "ragate-decide.yml").read_text()
    assert secret not in (folder(project) / "ragate-collect.yml").read_text()


def test_the_commit_that_stood_there_stays(project: Path) -> None:
    run(["init", "--yes"])

    assert all(f"@{COMMIT}" in path.read_text() for path in folder(project).iterdir())


def test_without_yes_and_terminal_they_are_named_and_stay(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder(project) / "ragate.yml").read_text()

    assert run(["init"]) == 0

    told = capsys.readouterr().out
    assert (folder(project) / "ragate.yml").read_text() == before
    assert "ragate.yml: runs this gate too, of another kind of system" in told
    assert "`ragate init --yes` replaces it" in told


def test_a_workflow_that_somebody_changed_is_named_and_never_touched(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = folder(project) / "ragate.yml"
    mine.write_text(mine.read_text().replace("timeout-minutes: 40", "timeout-minutes: 90"))
    before = mine.read_text()

    assert run(["init", "--yes"]) == 0

    assert mine.read_text() == before
    assert "ragate.yml: runs this gate too" in (told := capsys.readouterr().out)
    assert "written or changed by hand" in told


def test_a_workflow_behind_a_link_is_never_touched(project: Path) -> None:
    real = project / "kept.yml"
    link = folder(project) / "ragate.yml"
    link.rename(real)
    link.symlink_to(real)

    run(["init", "--yes"])

    assert link.is_symlink()
    assert real.is_file()


def test_nothing_is_replaced_where_nothing_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(tmp_path, pages("docs/a.md"))
    monkeypatch.chdir(root)
    run(["init", "--yes"])
    capsys.readouterr()

    run(["init", "--yes"])

    told = capsys.readouterr().out
    assert ": replaced" not in told
    assert "runs this gate too" not in told


def test_the_workflows_of_another_folder_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for part in ("apps/help", "apps/shop"):
        write(tmp_path / part, pages("docs/a.md"))
        assert run(["init", "--yes", str(tmp_path / part)]) == 0
    before = written(tmp_path)

    assert run(["init", "--yes", str(tmp_path / "apps/help")]) == 0

    assert written(tmp_path) == before
    own = {path.name for path, _ in of_folder(tmp_path, "apps/help", "apps-help")}
    assert own == {name.replace(".yml", "-apps-help.yml") for name in ALL}


def test_the_gate_has_one_name_here_and_in_the_workflow(project: Path) -> None:
    assert load_config(project / "ragate.toml").gate == "handbook"
    assert "gate: handbook" in (folder(project) / "ragate-main.yml").read_text()


def test_a_gate_with_the_plain_workflow_keeps_that_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path, pages("docs/a.md"))
    monkeypatch.chdir(root)
    run(["init", "--yes", "--plain"])

    run(["init", "--yes"])
    assert written(root) == {"ragate.yml"}
    run(["init", "--yes", "--action", COMMIT])
    assert written(root) == ALL
    assert "ragate check" not in (folder(root) / "ragate.yml").read_text()
    run(["init", "--yes", "--plain"])
    assert written(root) == {"ragate.yml"}
