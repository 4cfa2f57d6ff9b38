"""The gate from Python gives what the command gives."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import ragate
from ragate.cli.group import cli
from ragate.errors import ConfigError, DatasetError, PluginError, UsageError
from ragate.models import ScoreState, Verdict
from tests.projects import ReplayProject, right

SAMPLE = {"id": "q1", "query": "How long?", "expected": ["a.md"], "reference": "30 days"}
OUTPUT = {"answer": "30 days [1]", "contexts": [{"doc_id": "a.md", "text": "30 days."}]}


def wrong(number: int, run: int) -> Mapping[str, Any]:
    lost = {"answer": "No idea.", "chunks": [{"doc_id": "other.md", "text": "Else."}]}
    return lost if number < 20 else right(number, run)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> ReplayProject:
    project = ReplayProject(tmp_path_factory.mktemp("api"))
    arguments = ["baseline", "update", "--config", str(project.root / "ragate.toml")]
    assert CliRunner().invoke(cli, arguments, standalone_mode=False).exception is None
    return project


def test_check_passes_where_nothing_changed(project: ReplayProject):
    project.record(right)

    report = ragate.check(project.root)

    assert report.decision.verdict is Verdict.PASSED
    assert report.decision.exit_code == 0


def test_check_returns_a_failed_gate_and_load_run_finds_it(project: ReplayProject):
    project.record(wrong)

    report = ragate.check(project.root / "ragate.toml")
    stored = ragate.load_run(config=project.root)

    assert report.decision.verdict is Verdict.FAILED
    assert stored.report == report
    assert {record.sample_id for record in stored.records} == {f"q{n}" for n in range(40)}


def test_check_takes_the_options_of_the_command(project: ReplayProject):
    project.record(right)

    report = ragate.check(project.root, ids=["q1", "q2"], retrieval_only=True)

    assert report.partial
    assert report.filters.ids == ("q1", "q2")
    assert [row.metric for row in report.decision.metrics] == ["hit_rate@5"]


def test_check_prints_nothing(project: ReplayProject, capfd: pytest.CaptureFixture[str]):
    project.record(wrong)

    ragate.check(project.root)

    assert capfd.readouterr() == ("", "")


def test_a_report_is_rendered_as_the_command_renders_it(project: ReplayProject):
    project.record(right)
    report = ragate.check(project.root)

    assert ragate.render(report, "json") == ragate.render(
        ragate.load_run(report.run_id, config=project.root).report, "json"
    )
    assert "PASSED" in ragate.render(report)


def test_a_format_that_is_not_there_is_named(project: ReplayProject):
    project.record(right)
    report = ragate.check(project.root)

    with pytest.raises(PluginError, match="marcdown"):
        ragate.render(report, "marcdown")


def test_a_configuration_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"ragate\.toml"):
        ragate.check(tmp_path)


def test_inside_an_event_loop_check_says_what_to_write(project: ReplayProject):
    async def called() -> None:
        ragate.check(project.root)

    with pytest.raises(UsageError) as raised:
        asyncio.run(called())

    assert "asyncio.to_thread(ragate.check)" in raised.value.remedy


def test_no_run_at_all_is_a_usage_error(tmp_path: Path):
    project = ReplayProject(tmp_path, samples=2)

    with pytest.raises(UsageError, match="no run"):
        ragate.load_run(config=project.root)


def test_one_output_is_scored_without_a_project():
    scores = ragate.score(SAMPLE, OUTPUT, ["recall@5", "token_f1"])

    assert {name: score.value for name, score in scores.items()} == {"recall@5": 1, "token_f1": 1}


def test_a_score_that_does_not_apply_says_so():
    (score,) = ragate.score({"id": "q", "query": "Why?"}, OUTPUT, ["token_f1"]).values()

    assert score.state is ScoreState.NOT_APPLICABLE


def test_a_metric_takes_its_own_settings():
    with pytest.raises(ConfigError, match="treshold"):
        ragate.score(SAMPLE, OUTPUT, ["ndcg@5"], settings={"ndcg@5": {"treshold": 1}})


@pytest.mark.parametrize("metric", ["faithfulness", "refusal_f1"])
def test_what_one_output_cannot_tell_is_refused(metric: str):
    with pytest.raises(UsageError, match=metric):
        ragate.score(SAMPLE, OUTPUT, [metric])


@pytest.mark.parametrize(
    ("sample", "output", "named"),
    [
        ({**SAMPLE, "quer": "x"}, OUTPUT, "quer"),
        ({"id": "q"}, OUTPUT, "query"),
        (SAMPLE, {"answer": 3}, "answer"),
        (SAMPLE, {"contexts": "a text"}, "contexts"),
    ],
)
def test_a_wrong_field_is_named(sample: dict[str, Any], output: dict[str, Any], named: str):
    with pytest.raises(DatasetError, match=named):
        ragate.score(sample, output, ["token_f1"])


def test_importing_ragate_loads_none_of_it():
    script = "import sys, ragate; print([name for name in sys.modules if 'ragate.' in name])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert done.stdout.strip() == "['ragate.version']"


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="chek"):
        ragate.chek  # noqa: B018
