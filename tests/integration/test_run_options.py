"""Options of a whole run: skipped metrics, conditions on metadata, profiles, stale references."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, write_docs_project

pytestmark = pytest.mark.integration

PROFILES = """
[policy.profiles.quick]
where = ["source=forum"]
skip = ["token_f1"]
[policy.profiles.full]
top_k = 1
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.chdir(tmp_path)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    extra = {
        number: {
            "metadata": {"source": "forum" if number % 4 == 0 else "sme", "complexity": number}
        }
        for number in range(40)
    }
    made = ReplayProject(tmp_path, extra=extra, metrics=PROFILES)
    assert run(["baseline", "update"]) == 0
    return made


def report(*options: str, code: int = 0) -> dict[str, Any]:
    assert run(["check", *options, "--format", "json", "--output", "r.json"]) == code
    found: dict[str, Any] = json.loads(Path("r.json").read_text())
    return found


def metrics(found: dict[str, Any]) -> set[str]:
    return {row["metric"] for row in found["decision"]["metrics"]}


def test_a_skipped_metric_is_left_out_and_said_and_makes_the_run_partial(
    project: ReplayProject,
) -> None:
    found = report("--skip", "token_f1")

    assert metrics(found) == {"hit_rate@5"}
    assert found["partial"]
    assert found["filters"]["skip"] == ["token_f1"]
    assert "token_f1 was left out: --skip" in found["decision"]["warnings"]
    assert not any("filtered samples" in one for one in found["decision"]["warnings"])


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
    assert metrics(report("--skip-correctness")) == {"token_f1", "hit_rate@5"}


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


def test_a_changed_passage_is_told_in_every_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
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


JUDGED = """
[policy.providers.local]
base_url = "http://127.0.0.1:9/v1"
[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
[policy.metrics.faithfulness]
level = "error"
"""


PRICED = """
[policy.providers.local]
base_url = "http://127.0.0.1:9/v1"
[policy.providers.local.prices."judge-1"]
input_usd_per_million = 1000.0
[policy.judge]
use = "llamaindex"
provider = "local"
model = "judge-1"
[policy.metrics.relevancy]
"""
NAMED = """
[policy.judge]
use = "llamaindex"
llm = "tests.unit.judges.llamaindex_llms:ChatModel"
llm_settings = { model = "gpt-4o-mini" }
[policy.metrics.relevancy]
"""


@pytest.mark.parametrize("judge", [PRICED, NAMED], ids=["provider", "llm"])
def test_an_estimate_prices_a_judge_that_sends_its_requests_by_ways_of_its_own(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    judge: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    write_docs_project(tmp_path)
    config = tmp_path / "ragate.toml"
    config.write_text(config.read_text() + judge)

    assert run(["check", "--estimate"]) == 0

    assert re.search(r"cost about \$\d", capsys.readouterr().out)


def test_an_estimate_does_not_count_what_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    write_docs_project(tmp_path)
    config = tmp_path / "ragate.toml"
    config.write_text(config.read_text() + JUDGED)

    assert run(["check", "--estimate"]) == 0
    calls = re.search(r"judgements: +(\d+) calls", capsys.readouterr().out)
    assert calls is not None
    assert int(calls[1]) >= 8
    assert run(["check", "--estimate", "--skip", "faithfulness"]) == 0
    assert re.search(r"judgements: +0 calls", capsys.readouterr().out)
