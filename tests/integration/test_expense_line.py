"""Tokens of real model calls, from the server's count to the verdict."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from ragate.answers.run_profile import Selection
from ragate.baseline import load_baseline
from ragate.baseline.recording.record_baseline import update_baseline
from ragate.core.statistics.joint_noise import ALONE
from ragate.core.statistics.metric_noise import Noise
from ragate.dataset import read_dataset
from ragate.models import MetricVerdict, Report, Verdict
from ragate.sight import assumed_plans, compared_with_itself, plans
from tests.integration.recorded_project import RecordedProject
from tests.runs import check
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = pytest.mark.integration
RULE = "[policy.metrics.prompt_tokens]\nmax_increase = 0.2\n"
SAMPLES = 12


def written(root: Path, server: FakeOpenAI) -> RecordedProject:
    server.tokens = lambda body: len(json.dumps(body["messages"]))
    return RecordedProject(root, server.base_url, samples=SAMPLES, metrics=RULE)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose baseline has been recorded, to be copied."""
    with openai_server() as server:
        made = written(tmp_path_factory.mktemp("recording"), server)
        asyncio.run(update_baseline(made.config(), made.operations(), runs=2))
    return made.root


@pytest.fixture
def project(tmp_path: Path, recording: Path, server: FakeOpenAI) -> RecordedProject:
    """A copy, which will ask another server."""
    shutil.copytree(recording, tmp_path, dirs_exist_ok=True)
    return written(tmp_path, server)


def checked(project: RecordedProject) -> Report:
    return asyncio.run(check(project.config(), project.operations(), Selection(runs=1)))


def verdict(report: Report) -> MetricVerdict:
    return next(row.verdict for row in report.decision.metrics if row.metric == "prompt_tokens")


def lengthen(project: RecordedProject, by: int) -> None:
    for number in range(SAMPLES):
        project.write(number, f"The value of {number} is {number} apples." + " Or so." * by)


def test_what_an_answer_takes_is_no_part_of_what_the_power_is_shared_by(project):
    config = project.config()
    samples, baseline = read_dataset(config.dataset), load_baseline(config.baseline)

    measured = plans(
        config, *compared_with_itself(config, samples, baseline, today=date(2026, 6, 1))
    )
    assumed = assumed_plans(config, 100, Noise())

    for found in (measured, assumed):
        assert [plan.metric for plan in found] == ["recall@5", "token_f1"]
        joints = [plan.sight.design.joint for plan in found if plan.sight]
        assert all(joint is not ALONE for joint in joints)  # two metrics share it, and no third


def test_longer_prompts_fail_by_what_they_take(project):
    lengthen(project, 60)

    report = checked(project)

    assert report.decision.verdict is Verdict.FAILED
    assert any("prompt_tokens: +" in reason for reason in report.decision.reasons)


def test_prompts_that_are_hardly_longer_are_held_and_the_same_ones_unchanged(project):
    assert verdict(checked(project)) is MetricVerdict.UNCHANGED

    lengthen(project, 1)

    assert verdict(checked(project)) is MetricVerdict.HELD


def test_an_answer_from_memory_counts_with_what_it_took(project, server):
    lengthen(project, 60)
    checked(project)
    asked = server.seen

    report = checked(project)

    assert server.seen == asked
    assert report.decision.verdict is Verdict.FAILED
