"""Whose rules a verdict on a checkout went by: said where they may not be the base's."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.checkout_rules import checkout_rules
from ragate.cli.main import run as ragate
from ragate.config import load_config
from ragate.models import CheckoutRules
from tests.projects import ReplayProject, right
from tests.repositories import commit, git

UNREAD = CheckoutRules(base_read=False)


@pytest.fixture
def project(tmp_path: Path) -> ReplayProject:
    """A project on a branch of its own, with nothing changed yet."""
    (tmp_path / "repository").mkdir()
    made = ReplayProject(tmp_path / "repository", samples=5)
    (made.root / "baselines").mkdir()
    (made.root / "baselines/gate.json").write_text("{}")
    git(made.root, "init", "--quiet", "--initial-branch=main")
    commit(made.root, "base")
    git(made.root, "checkout", "--quiet", "-b", "change")
    return made


def rules(root: Path, *, ci: bool = False) -> CheckoutRules | None:
    return checkout_rules(load_config(root / "ragate.toml"), ci=ci)


def test_where_nothing_of_the_rules_changed_nothing_is_said(project: ReplayProject) -> None:
    config = project.root / "ragate.toml"
    text = config.read_text().replace('\npaths = ["outputs/*', '\npaths = ["outputs/run0*')
    config.write_text(text)
    project.record(lambda *_: {"answer": "x", "chunks": []})

    assert rules(project.root) is None


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("golden.jsonl", "golden set"),
        ("baselines/gate.json", "baseline"),
        ("ragate.toml", "policy"),
    ],
)
def test_what_the_branch_changed_is_named(
    project: ReplayProject, path: str, changed: str, committed: bool
) -> None:
    file = project.root / path
    file.write_text(file.read_text().replace("[policy]\n", "[policy]\nalpha = 0.05\n") + "\n")
    if path == "golden.jsonl":
        project.write_golden(range(4))
    if committed:
        git(project.root, "commit", "--quiet", "--all", "-m", "change")

    assert rules(project.root) == CheckoutRules.model_validate(
        {"base_read": True, "changed": (changed,)}
    )


def test_a_scorecard_of_ones_own_is_part_of_the_policy(project: ReplayProject) -> None:
    card = project.root / "card.toml"
    card.write_text("[stages.token_f1]\npass_at = 0.4\n")
    project.configure(metrics='[policy.scorecard]\npreset = "./card.toml"\n')
    commit(project.root, "a scorecard")
    git(project.root, "branch", "--force", "main")
    assert rules(project.root) is None

    card.write_text("[stages.token_f1]\npass_at = 0.1\n")

    assert rules(project.root) == CheckoutRules(base_read=True, changed=("policy",))


def test_a_baseline_that_git_does_not_know_yet_is_the_checkouts_own(project: ReplayProject) -> None:
    git(project.root, "rm", "--quiet", "--cached", "baselines/gate.json")
    git(project.root, "commit", "--quiet", "-m", "gone")
    git(project.root, "branch", "--quiet", "--force", "main", "HEAD")

    assert rules(project.root) == CheckoutRules(base_read=True, changed=("baseline",))


def test_without_a_main_branch_the_base_is_not_known(project: ReplayProject) -> None:
    git(project.root, "branch", "--quiet", "--delete", "--force", "main")

    assert rules(project.root) == UNREAD


def test_in_ci_the_base_is_the_merges_first_parent_where_it_is_here(project: ReplayProject) -> None:
    project.write_golden(range(4))
    git(project.root, "commit", "--quiet", "--all", "-m", "change")
    git(project.root, "checkout", "--quiet", "main")
    git(project.root, "merge", "--quiet", "--no-ff", "-m", "merge", "change")
    git(project.root, "checkout", "--quiet", "--detach")
    git(project.root, "branch", "--quiet", "--delete", "--force", "main")

    assert rules(project.root, ci=True) == CheckoutRules(base_read=True, changed=("golden set",))
    shallow = project.root.parent / "shallow"
    git(project.root.parent, "init", "--quiet", str(shallow))
    git(shallow, "fetch", "--quiet", "--depth=1", f"file://{project.root}", "HEAD")
    git(shallow, "checkout", "--quiet", "FETCH_HEAD")
    assert rules(shallow, ci=True) == UNREAD


def test_outside_of_a_repository_nothing_is_said(tmp_path: Path) -> None:
    made = ReplayProject(tmp_path, samples=5)

    assert rules(made.root) is None


def test_the_report_says_so_before_anything_else(
    project: ReplayProject, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project.root)
    assert ragate(["baseline", "update", "--runs", "2"]) == 0
    capsys.readouterr()

    told = "Judged by this checkout's own baseline. On a pull request"
    assert ragate(["check"]) == 0
    assert capsys.readouterr().out.startswith(told)
    assert ragate(["check", "--format", "markdown"]) == 0
    assert told in "".join(capsys.readouterr().out.splitlines()[:5])


WRONG = {"answer": "No idea.", "chunks": [{"doc_id": "other.md", "text": "Something else."}]}


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    """A branch that changed a setting of the system, whose answers are wrong."""
    project = ReplayProject(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    (tmp_path / ".gitignore").write_text(".ragate\n")
    assert ragate(["baseline", "update", "--runs", "2"]) == 0
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path, "base")
    git(tmp_path, "checkout", "--quiet", "-b", "change")
    config = tmp_path / "ragate.toml"
    text = config.read_text().replace('\npaths = ["outputs/*', '\npaths = ["outputs/run0*')
    config.write_text(text)
    project.record(lambda number, run: WRONG if number < 20 else right(number, run))
    return project


def test_in_ci_the_file_holds_what_the_policy_publishes(
    broken: ReplayProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = broken.root / "ragate.toml"
    config.write_text(config.read_text().replace("[policy]\n", '[policy]\npublish = "ids"\n'))
    broken.record(lambda number, run: {**right(number, run), "answer": "No idea."})
    here = ["check", "--format", "markdown", "--output", "whole.md"]
    assert ragate(here) == 1
    assert "No idea" in (broken.root / "whole.md").read_text()

    monkeypatch.setenv("CI", "1")
    assert ragate([*here[:-1], "kept.md"]) == 1
    assert "No idea" not in (broken.root / "kept.md").read_text()
