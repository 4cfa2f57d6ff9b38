"""The committed baseline over commits: what moved, and what does not compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.config import load_config
from ragate.contrib.history.read_history import NOT_HERE, History, read_history
from ragate.models import Acceptance
from ragate.stores.local import LocalStore
from tests.contrib.history.history_factories import commit, content, scored
from tests.repositories import git


def history(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["history", "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def history_of(config: Path) -> History:
    runs = LocalStore(config.parent / ".ragate")
    return read_history(load_config(config), most=9, store=runs, most_runs=0)


def test_the_commit_that_moved_a_metric_is_named(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0)), "first")
    commit(project, content(scored(0.5)), "smaller chunks")

    found = history(capsys)

    (move,) = found["metrics"]["mrr"]["moves"]
    assert (move["before"], move["after"], move["change"]) == (1.0, 0.75, -0.25)
    assert move["commit"] == found["points"][1]["commit"]
    assert found["points"][1]["subject"] == "smaller chunks"
    assert found["metrics"]["mrr"]["drift"] == -0.25


def test_the_day_until_which_commits_are_wanted_counts(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")
    day = git(project, "log", "-1", "--format=%cs").strip()

    assert run(["history", "--until", day]) == 0
    assert "1 commit" in capsys.readouterr().out


def test_two_versions_of_a_metric_are_not_subtracted(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")
    commit(project, content(scored(0.5, version=2)), "another formula")

    found = history(capsys)

    assert found["metrics"]["mrr"]["moves"][0]["change"] is None
    assert found["metrics"]["mrr"]["drift"] is None
    assert found["points"][1]["marks"] == ["mrr of version 2 (was 1)"]


def test_another_judge_is_marked(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0, judge="old")), "first")
    commit(project, content(scored(1.0, judge="new")), "judge")

    assert history(capsys)["points"][1]["marks"] == ["another judge"]


@pytest.mark.parametrize("broken", [b"{", b"<<<<<<< HEAD\n", b'{"schema_version": 9}', b"[]"])
def test_a_broken_file_in_one_commit_costs_that_commit_only(
    broken: bytes, project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")
    commit(project, broken, "broken")
    commit(project, content(scored(0.5)), "mended")

    found = history(capsys)

    assert [bool(point["problem"]) for point in found["points"]] == [False, True, False]
    assert found["metrics"]["mrr"]["drift"] == -0.25


def test_a_file_that_was_removed_is_said(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0)), "first")
    git(project, "rm", "-q", "b.json")
    git(project, "commit", "-q", "-m", "gone")

    assert history(capsys)["points"][1]["problem"] == "removed here"


def test_a_metric_that_no_commit_holds_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")

    assert run(["history", "--metric", "mr"]) == 2

    assert "no commit holds it" in capsys.readouterr().err


def test_a_baseline_that_was_never_committed_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    git(project, "commit", "-q", "--allow-empty", "-m", "first")

    assert run(["history"]) == 2

    assert "no commit of this branch wrote it" in capsys.readouterr().err


def test_a_shallow_clone_says_where_it_begins(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    commit(project, content(scored(1.0)), "first")
    commit(project, content(scored(0.5)), "second")
    clone = tmp_path_factory.mktemp("shallow") / "clone"
    git(project, "clone", "-q", "--depth", "1", project.as_uri(), str(clone))
    (clone / "ragate.toml").write_bytes((project / "ragate.toml").read_bytes())

    found = history_of(clone / "ragate.toml")

    assert [point.commit.subject for point in found.points] == ["second"]
    assert found.notes[0].startswith("this clone begins at its oldest commit")


def test_a_partial_clone_fetches_nothing_and_names_what_is_missing(
    project: Path, tmp_path_factory: pytest.TempPathFactory
):
    commit(project, content(scored(1.0)), "first")
    commit(project, content(scored(0.5)), "second")
    git(project, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path_factory.mktemp("partial") / "clone"
    git(project, "clone", "-q", "--filter=blob:none", project.as_uri(), str(clone))
    (clone / "ragate.toml").write_bytes((project / "ragate.toml").read_bytes())

    found = history_of(clone / "ragate.toml")

    assert [point.problem.endswith(NOT_HERE) for point in found.points] == [True, False]
    (note,) = found.notes
    assert note.endswith("not in this clone: 1; git log -p --first-parent -- b.json fetches them")


def test_two_gates_of_one_repository_have_each_their_own_commits(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    other = (project / "ragate.toml").read_text().replace("b.json", "other.json")
    (project / "other.toml").write_text(other)
    commit(project, content(scored(1.0)), "of the first gate")
    (project / "other.json").write_bytes(content(scored(0.5)))
    git(project, "add", "other.json")
    git(project, "commit", "-q", "-m", "of the second gate")

    first = history_of(project / "ragate.toml")
    second = history_of(project / "other.toml")

    assert [point.commit.subject for point in first.points] == ["of the first gate"]
    assert [point.commit.subject for point in second.points] == ["of the second gate"]


def test_another_golden_set_is_marked(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0)), "first")
    foreign = scored(1.0)
    commit(project, content(foreign.amended(manifest=foreign.manifest.amended(dataset="x"))), "x")

    (mark,) = history(capsys)["points"][1]["marks"]

    assert mark.startswith("golden set x (was ")


def test_an_accepted_drop_is_marked_once(project: Path, capsys: pytest.CaptureFixture[str]):
    drop = Acceptance(metric="mrr", by="ann", reason="merged pages")
    lower = scored(0.5)
    taken = lower.amended(manifest=lower.manifest.amended(accepted=(drop,)))
    commit(project, content(scored(1.0)), "first")
    commit(project, content(taken), "accepted")
    later = scored(0.6)
    commit(
        project, content(later.amended(manifest=later.manifest.amended(accepted=(drop,)))), "later"
    )

    marks = [point["marks"] for point in history(capsys)["points"]]

    assert marks == [[], ["drop of mrr accepted by ann"], []]
