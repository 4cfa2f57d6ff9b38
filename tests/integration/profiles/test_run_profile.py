"""Options of a whole run: skipped metrics, conditions on metadata, profiles, stale references."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.profiles.profile_projects import metrics, report
from tests.projects import ReplayProject

pytestmark = pytest.mark.integration


def test_a_profile_of_the_policy_chooses_and_options_win(project: ReplayProject) -> None:
    found = report("--profile", "quick")
    assert found["filters"] == {
        "ids": [],
        "limit": None,
        "profile": "quick",
        "settings": [],
        "skip": ["token_f1"],
        "tags": [],
        "top_k": None,
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

    redefined = report("--profile", "full")
    assert redefined["filters"]["top_k"] == 1
    assert redefined["partial"]


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
