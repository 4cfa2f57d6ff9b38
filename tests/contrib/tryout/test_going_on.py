"""A trial that was killed goes on: what its variants answered is not asked again."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.resume.conftest import root, service  # noqa: F401
from tests.integration.resume.interrupted import CONCURRENCY, SAMPLES, Service, start
from tests.repositories import commit

pytestmark = pytest.mark.integration
TABLES = """
[variants.b]
body = '{"query": {{ (query ~ " b") | tojson }}}'
[variants.c]
body = '{"query": {{ (query ~ " c") | tojson }}}'
"""
TRIED = ("try", "--variant", "b,c", "--format", "json", "--output", "trial.json")


@pytest.fixture
def tried(root: Path, service: Service) -> Service:  # noqa: F811
    """A service of three variants, whose names end its questions."""
    path = root / "ragate.toml"
    path.write_text(path.read_text() + TABLES)
    commit(root)
    return service


def runs(root: Path) -> list[Path]:  # noqa: F811
    return sorted((root / ".ragate" / "runs").iterdir())


def test_what_was_answered_is_not_asked_again(root: Path, tried: Service) -> None:  # noqa: F811
    assert start(root, tried, *TRIED, kill_after=25) == -signal.SIGKILL
    assert start(root, tried, *TRIED, "--resume", kill_after=20) == -signal.SIGKILL

    assert start(root, tried, *TRIED, "--resume") == 0

    # What was in flight at a kill is no answer, and all that may be asked twice.
    assert len(tried.asked) == 3 * SAMPLES
    assert sum(tried.asked.values()) <= 3 * SAMPLES + 2 * CONCURRENCY
    assert len(runs(root)) == 3
    trial = json.loads((root / "trial.json").read_text())
    assert [row["passes"] for row in trial["variants"]] == [1, 1, 1]
    assert trial["variants"][2]["held"][0]["metric"] == "token_f1"


def test_a_trial_that_ended_does_not_go_on(
    root: Path,  # noqa: F811
    tried: Service,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert start(root, tried, *TRIED) == 0

    assert run([*TRIED, "--resume"]) == 2
    assert "no interrupted `try`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--limit", "3"), "begun with other options"),
        (("--set", "body='{}','{\"a\": 1}'"), "begun with other variants"),
    ],
)
def test_other_options_or_variants_are_another_trial(
    root: Path,  # noqa: F811
    tried: Service,
    capsys: pytest.CaptureFixture[str],
    given: tuple[str, str],
    told: str,
) -> None:
    start(root, tried, *TRIED, kill_after=9)
    named = () if given[0] == "--set" else ("--variant", "b,c")

    assert run(["try", *named, *given, "--resume"]) == 2

    assert told in capsys.readouterr().err


def test_a_trial_that_was_begun_with_something_else_does_not_go_on(
    root: Path,  # noqa: F811
    tried: Service,
    capsys: pytest.CaptureFixture[str],
) -> None:
    start(root, tried, *TRIED, kill_after=9)
    golden = root / "golden.jsonl"
    golden.write_text(golden.read_text().replace("What is 3?", "What is three?"))

    assert run([*TRIED, "--resume"]) == 2

    assert "it was begun with something else: files golden.jsonl; golden set" in (
        capsys.readouterr().err
    )


def test_a_trial_goes_on_by_the_id_of_any_of_its_runs_and_by_no_other(
    root: Path,  # noqa: F811
    tried: Service,
    capsys: pytest.CaptureFixture[str],
) -> None:
    start(root, tried, "check", kill_after=9)
    (check,) = runs(root)
    start(root, tried, *TRIED, kill_after=9)

    assert run([*TRIED, "--resume", check.name]) == 2
    assert "none of a trial" in capsys.readouterr().err
    assert run([*TRIED, "--resume", runs(root)[2].name]) == 0
