"""Options of a whole run: skipped metrics, conditions on metadata, profiles, stale references."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.profiles.profile_projects import metrics, report
from tests.projects import ReplayProject, write_docs_project

pytestmark = pytest.mark.integration


def test_a_profile_of_the_policy_chooses_and_options_win(project: ReplayProject) -> None:
    found = report("--profile", "quick")
    assert found["filters"] == {
        "ids": [],
        "limit": None,
        "profile": "quick",
        "skip": ["token_f1"],
        "tags": [],
        "where": ["source=forum"],
    }
    assert report("--profile", "quick", "--where", "source=sme")["data"]["selected"] == 30


def test_two_profiles_are_built_in_and_the_policy_may_redefine_them(
    project: ReplayProject,
) -> None:
    found = report("--profile", "retrieval")
    assert found["retrieval_only"]
    assert found["partial"]
    assert metrics(found) == {"hit_rate@5"}

    assert not report("--profile", "full")["partial"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[policy.profiles.x]\nskip = ['token_f']", "did you mean 'token_f1'?"),
        ("[policy.profiles.x]\nskp = []", "unknown key 'skp'; did you mean 'skip'?"),
        ("[policy.profiles.x]\ntop_k = 0", "top_k = 0"),
        ("[policy.profiles.'a b']", "policy"),
    ],
)
def test_a_wrong_profile_is_named(
    project: ReplayProject, capsys: pytest.CaptureFixture[str], table: str, said: str
) -> None:
    project.configure(metrics=table)

    assert run(["check"]) == 2
    assert said in capsys.readouterr().err


def test_an_unknown_profile_names_the_nearest(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", "--profile", "quik"]) == 2
    assert "did you mean 'quick'?" in capsys.readouterr().err


def test_decide_takes_the_same_options(project: ReplayProject) -> None:
    assert run(["collect", "--profile", "quick"]) == 0
    assert run(["decide", "--profile", "quick"]) == 0
    assert run(["decide", "--skip", "nothing"]) == 2


@pytest.mark.usefixtures("served")
def test_a_changed_passage_is_told_in_every_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_docs_project(tmp_path)
    assert run(["dataset", "evidence"]) == 0
    assert run(["baseline", "update"]) == 0
    assert report()["data"]["stale_evidence"] == {}

    page = tmp_path / "docs/apples.md"
    page.write_text(page.read_text().replace("orchard 0", "orchard 17"))
    run(["check", "--format", "json", "--output", "r.json", "--format", "markdown"])
    found = json.loads(Path("r.json").read_text())
    said = "references that may be stale, since a document no longer holds the evidence: apples"

    assert found["data"]["stale_evidence"] == {"apples": ["apples.md"]}
    assert any(warning.startswith(said) for warning in found["decision"]["warnings"])
    assert "references that may be stale" in capsys.readouterr().out
