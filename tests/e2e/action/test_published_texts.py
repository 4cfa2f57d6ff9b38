"""``[policy] publish``: what may not leave the machine stands in nothing that the step writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.cli.main import run as ragate
from tests.container.runner import StepResult
from tests.e2e.action.command_projects import BROKEN
from tests.e2e.action.forge import Change, Forge, outputs, recorded_project
from tests.e2e.action.talk import judged, replies, say
from tests.e2e.action.test_attempt_evidence import attempt, touched
from tests.e2e.action.test_evidence import noisy
from tests.servers.github_stub import github_stub

__all__ = ["noisy"]
pytestmark = pytest.mark.e2e

Files = dict[str, bytes]
PAGE = "report-gate.html"
QUESTION, WAS, NOW, PASSAGE = "What is the value", "apples", "No idea", "Else."


@pytest.fixture(scope="module", params=["answers", "ids"])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp(f"gated-{request.param}")
    return recorded_project(folder, policy=f'publish = "{request.param}"')


@pytest.fixture(scope="module")
def first(
    tmp_path_factory: pytest.TempPathFactory, project: Files
) -> Iterator[tuple[Forge, Change, StepResult]]:
    """Yield a repository whose pull request was judged and is red."""
    folder = tmp_path_factory.mktemp("first")
    with github_stub(folder / "github") as github:
        made = Forge(github, folder)
        made.start(project)
        change = made.change(outputs(broken=BROKEN))
        github.git.move("change", change.head)
        yield made, change, judged(made, change)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Forge]:
    with github_stub(tmp_path / "github") as github:
        yield Forge(github, tmp_path)


@pytest.fixture
def red(held: Forge, first: tuple[Forge, Change, StepResult]) -> Change:
    earlier, change, _ = first
    return held.again(earlier, change)


def test_nothing_that_is_written_holds_a_text_that_stays_at_home(
    first: tuple[Forge, Change, StepResult], project: Files
) -> None:
    forge, _, result = first
    of_ids = b'publish = "ids"' in project["ragate.toml"]

    assert result.exit_code == 1, result.log
    left = sorted((forge.last / ".ragate" / "result").rglob("*.*"))
    assert {path.name for path in left} >= {"report.md", "report.json", "scores.jsonl", PAGE}
    written = "".join(path.read_text() for path in left if path.is_file())
    written += result.log + result.summary + forge.comment()
    assert "q3" in written
    assert PASSAGE not in written
    for word in (NOW, WAS, QUESTION):
        assert (word not in written) is of_ids, word


def test_an_accept_counts_without_the_texts(held: Forge, red: Change) -> None:
    say(held, f'/ragate accept {red.head[:7]} hit_rate@5 token_f1 "the pages were merged"')

    assert held.states(red.head)[-1] == "success"


def test_a_baseline_of_what_lacks_its_texts_is_refused_with_what_to_do(
    held: Forge, red: Change
) -> None:
    say(held, f"/ragate update-baseline {red.head[:7]}")

    assert "ragate baseline update" in replies(held)[-1]
    assert held.github.git.resolve("refs/heads/change") == red.head


def test_a_red_commit_whose_outputs_stayed_at_home_gets_no_luckier_verdict(
    tmp_path: Path, noisy: Files
) -> None:
    text = noisy["ragate.toml"].replace(b"[policy]\n", b'[policy]\npublish = "ids"\n', 1)
    with github_stub(tmp_path / "github") as github:
        forge = Forge(github, tmp_path)
        forge.start({**noisy, "ragate.toml": text, ".gitignore": b".ragate/\n__pycache__/\n"})
        change = touched(forge)
        assert attempt(forge, change, 1, lost=30, keep=True).exit_code == 1

        second = attempt(forge, change, 2, lost=0, keep=True)

    assert second.exit_code == 3, second.log
    told = " ".join(second.log.split())
    assert "[policy] publish keeps its outputs at home" in told
    assert "a new commit is judged on its own" in told
    assert "upload .ragate/result" not in told  # it is uploaded, without what counts here


def test_a_command_in_ci_takes_the_texts_out_and_at_home_it_does_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded_project(tmp_path / "p", policy='publish = "ids"')
    for name, content in outputs(broken=BROKEN).items():
        (tmp_path / "p" / name).write_bytes(content)
    monkeypatch.chdir(tmp_path / "p")
    shown = {}
    for value in ("true", ""):
        monkeypatch.setitem(os.environ, "CI", value)
        assert ragate(["check", "--format", "markdown"]) == 1
        shown[value] = capsys.readouterr().out

    assert QUESTION not in shown["true"]
    assert QUESTION in shown[""]
