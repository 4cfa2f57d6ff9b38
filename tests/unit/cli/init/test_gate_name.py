"""Each gate of a repository has a name, a workflow and a baseline of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from ragate.cli.init.survey import look
from ragate.cli.init.workflow_files import bear_the_name, gate_name
from ragate.cli.main import run
from ragate.config import load_config
from tests.unit.cli.init.init_factories import pages, write


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for part in ("apps/help", "apps/shop", "old/shop"):
        write(tmp_path / part, pages("docs/a.md", "docs/b.md"))
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def begin(folder: Path, *options: str) -> None:
    assert run(["init", "--yes", *options, str(folder)]) == 0


def workflows(root: Path) -> dict[str, str]:
    folder = root / ".github/workflows"
    return {path.name: path.read_text() for path in sorted(folder.glob("*.yml"))}


def test_the_second_project_of_a_repository_gets_workflows_of_its_own(repository: Path) -> None:
    begin(repository / "apps/help")
    begin(repository / "apps/shop")

    texts = workflows(repository)
    assert {"ragate-apps-help.yml", "ragate-apps-shop.yml"} <= texts.keys()
    flow = yaml.safe_load(texts["ragate-apps-shop.yml"])
    step = flow["jobs"]["gate"]["steps"][1]["with"]
    assert (step["gate"], step["working-directory"]) == ("apps-shop", "apps/shop")
    groups = {yaml.safe_load(text).get("concurrency", {}).get("group") for text in texts.values()}
    assert {"ragate-main-apps-help", "ragate-main-apps-shop"} <= groups
    names = [yaml.safe_load(text)["name"] for text in texts.values()]
    assert len(names) == len(set(names))


def test_each_gate_has_a_name_and_a_baseline_of_its_own(repository: Path) -> None:
    for part in ("apps/help", "apps/shop", "old/shop"):
        begin(repository / part)

    configs = [
        load_config(repository / part / "ragate.toml")
        for part in ("apps/help", "apps/shop", "old/shop")
    ]
    assert [config.gate for config in configs] == ["apps-help", "apps-shop", "old-shop"]
    assert [config.policy.baseline for config in configs] == [
        "baselines/apps-help.json",
        "baselines/apps-shop.json",
        "baselines/old-shop.json",
    ]


def test_the_plain_workflows_of_two_gates_are_two_checks(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(repository / "apps/help", "--plain")
    begin(repository / "apps/shop", "--plain")

    assert '"gate-apps-shop"' in capsys.readouterr().out
    jobs = [yaml.safe_load(text)["jobs"]["gate"] for text in workflows(repository).values()]
    assert [job.get("name") for job in jobs] == ["gate-apps-help", "gate-apps-shop"]
    assert [job["env"]["RAGATE_CONFIG"] for job in jobs] == [
        "apps/help/ragate.toml",
        "apps/shop/ragate.toml",
    ]


def test_a_name_that_a_workflow_uses_already_is_taken(repository: Path) -> None:
    text = "jobs:\n  a:\n    steps:\n      - with:\n          gate: apps-shop\n"
    write(repository, {".github/workflows/other.yml": text})

    assert gate_name(look(repository / "apps/shop")) == "apps-shop-2"


@pytest.mark.parametrize(
    ("folder", "name"), [("my [app]", "my-app"), ("日本", "rag"), ("a.b", "a.b")]
)
def test_a_gate_is_named_by_the_way_to_its_folder(repository: Path, folder: str, name: str) -> None:
    (repository / folder).mkdir()

    assert gate_name(look(repository / folder)) == name


def test_a_gate_below_the_root_keeps_workflows_without_its_name(repository: Path) -> None:
    step = "with: {gate: apps-help, working-directory: apps/help}"
    text = f"jobs:\n  a:\n    steps:\n      - {step}\n"
    write(repository, {".github/workflows/ragate.yml": text})

    assert not bear_the_name(look(repository / "apps/help"), "apps-help")
    assert bear_the_name(look(repository / "apps/shop"), "apps-shop")


def test_a_repository_of_one_project_keeps_the_plain_names(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))

    begin(tmp_path)

    assert load_config(tmp_path / "ragate.toml").policy.baseline == "baselines/main.json"
    assert "ragate.yml" in workflows(tmp_path)


def test_from_the_root_the_configurations_that_it_holds_are_named(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(repository / "apps/help")
    begin(repository / "apps/shop")
    monkeypatch.chdir(repository)
    capsys.readouterr()

    assert run(["check"]) == 2

    told = capsys.readouterr().err
    assert "below it are apps/help/ragate.toml, apps/shop/ragate.toml" in told
    assert "--config apps/help/ragate.toml" in told
