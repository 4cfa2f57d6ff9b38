"""What part of the golden set is run."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.profiles.profile_projects import metrics, report
from tests.projects import ReplayProject

pytestmark = pytest.mark.integration


def test_a_skipped_metric_is_left_out_and_said_and_makes_the_run_partial(
    project: ReplayProject,
) -> None:
    found = report("--skip", "token_f1")

    assert metrics(found) == {"hit_rate@5"}
    assert found["partial"]
    assert found["filters"]["skip"] == ["token_f1"]
    assert "token_f1 was left out: --skip" in found["decision"]["warnings"]
    assert not any("only a part of the golden set" in one for one in found["decision"]["warnings"])


def test_the_comment_says_what_was_left_out(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", "--skip", "token_f1", "--format", "markdown"]) == 0
    text = capsys.readouterr().out

    assert "Left out on demand: token_f1." in text
    assert "Only part of the golden set" not in text


def test_skipping_every_gated_metric_is_no_pass(project: ReplayProject) -> None:
    found = report("--skip", "token_f1,hit_rate@5", code=3)

    assert found["decision"]["verdict"] == "no_decision"


def test_a_metric_that_is_not_in_the_policy_cannot_be_skipped(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", "--skip", "token_f"]) == 2
    assert "did you mean 'token_f1'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--where", "source=forum"], 10),
        (["--where", "complexity>=30"], 10),
        (["--where", "complexity<=19", "--where", "source=sme"], 15),
    ],
)
def test_conditions_on_metadata_select_samples(
    project: ReplayProject, options: list[str], count: int
) -> None:
    found = report(*options)

    assert found["data"]["selected"] == count
    assert found["partial"]
    assert found["filters"]["where"] == options[1::2]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("sorce=forum", "did you mean 'source'?"),
        ("source", "must be FIELD=VALUE"),
        ("source=nobody", "the filters leave no sample"),
        ("complexity>=many", "'many' is not a number"),
        ("source>=1", "the filters leave no sample"),
    ],
)
def test_a_condition_that_cannot_hold_is_an_error(
    project: ReplayProject, capsys: pytest.CaptureFixture[str], condition: str, said: str
) -> None:
    assert run(["check", "--where", condition]) == 2
    assert said in capsys.readouterr().err
