"""What the doctor says of the workflows that run the action."""

from __future__ import annotations

from pathlib import Path

from ragate.cli.doctor.examine import workflows
from ragate.cli.finding import Status
from ragate.cli.init.action_workflows import action_workflows
from ragate.cli.init.config_text import Choice
from ragate.cli.workflows import PLACEHOLDER

COMMIT = "c0ffee" * 6 + "c0ff"


def write(root: Path, commit: str = COMMIT) -> Path:
    folder = root / ".github/workflows"
    folder.mkdir(parents=True)
    made = action_workflows(Choice("pgvector", "docs"), gate="docs", commit=commit)
    for name, text in made.items():
        (folder / name).write_text(text)
    return folder


def test_workflows_of_a_release_are_in_order(tmp_path: Path) -> None:
    write(tmp_path)

    (found,) = workflows(tmp_path)

    assert (found.status, found.message) == (Status.OK, "3 workflows with the action")


def test_zeros_in_place_of_the_release_are_pointed_out(tmp_path: Path) -> None:
    write(tmp_path, PLACEHOLDER)

    (found,) = workflows(tmp_path)

    assert found.status is Status.WARNING
    assert "ragate-commands.yml, .github/workflows/ragate-main.yml" in found.message
    assert "git ls-remote" in found.remedy


def test_a_group_that_every_comment_joins_is_pointed_out(tmp_path: Path) -> None:
    path = write(tmp_path) / "ragate-commands.yml"
    path.write_text(path.read_text().replace("jobs:", "concurrency:\n  group: a\njobs:", 1))

    (found,) = workflows(tmp_path)

    assert found.status is Status.WARNING
    assert "ragate-commands.yml" in found.message


def test_no_link_is_followed_and_no_workflow_is_none(tmp_path: Path) -> None:
    folder = write(tmp_path / "elsewhere", PLACEHOLDER)
    (tmp_path / "project/.github").mkdir(parents=True)
    (tmp_path / "project/.github/workflows").symlink_to(folder)

    assert [one.status for one in workflows(tmp_path / "project")] == [Status.OK]
    assert [one.status for one in workflows(tmp_path)] == [Status.OK]


def test_two_gates_of_one_name_are_a_problem(tmp_path: Path) -> None:
    folder = write(tmp_path)
    other = action_workflows(
        Choice("pgvector", "docs"), gate="docs", commit=COMMIT, folder="apps/help"
    )
    (folder / "second.yml").write_text(other["ragate.yml"])

    problems = [each for each in workflows(tmp_path) if each.status is Status.PROBLEM]

    assert len(problems) == 1
    assert "two gates are named docs" in problems[0].message
    assert "apps/help/ragate.toml" in problems[0].message


def test_a_workflow_that_is_no_yaml_is_passed_over(tmp_path: Path) -> None:
    (write(tmp_path) / "odd.yml").write_text("uses: ragate/ragate@x\n{{{")

    assert all(each.status is not Status.PROBLEM for each in workflows(tmp_path))


def test_two_gates_of_one_name_on_the_runner_are_a_problem(tmp_path: Path) -> None:
    code = Choice("python", "")
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    for part in ("apps/help", "apps/shop"):
        texts = action_workflows(code, gate="rag", commit=COMMIT, folder=part)
        name = part.replace("/", "-")
        (folder / f"{name}.yml").write_text(texts["ragate-collect.yml"])

    problems = [each for each in workflows(tmp_path) if each.status is Status.PROBLEM]

    assert "apps/help/ragate.toml, apps/shop/ragate.toml" in problems[0].message
