"""A second attempt of a red commit, with and without what the first one left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.container.runner import StepResult
from tests.e2e.action.forge import Change, Forge, outputs
from tests.e2e.action.talk import judged, upload
from tests.e2e.action.test_evidence import noisy
from tests.servers.github_stub import github_stub

__all__ = ["noisy"]
pytestmark = pytest.mark.e2e

FORK = "stranger/handbook"
BROKEN = range(12)
NOT_KEPT = "was red (https://github.com/octo-org/handbook/actions/runs/1/attempts/1), and what it"


@pytest.fixture
def lucky(tmp_path: Path, noisy: dict[str, bytes]) -> Iterator[Forge]:
    """Yield a repository whose system answers by chance; no file says when it is worse."""
    with github_stub(tmp_path / "github") as github:
        made = Forge(github, tmp_path)
        made.start({**noisy, ".gitignore": b".ragate/\n__pycache__/\n"})
        yield made


def attempt(
    forge: Forge, change: Change, number: int, *, lost: int, keep: bool = False, run_id: int = 1
) -> StepResult:
    """Judge a pull request once more; the workflow keeps what is left, or does not.

    Args:
        lost: The first so many answers are lost, which no file of the repository says.
    """
    options: dict[str, Any] = {
        "inputs": {"allow-code": "true"},
        "env": {"RAG_LOST": str(lost)},
    }
    if keep:
        return judged(forge, change, run_id=run_id, attempt=number, **options)
    forge.github.add_run(run_id, head_sha=change.head, run_attempt=number)
    return forge.check(change, run_id=run_id, run_attempt=number, **options)


RAG = b"""\
import os
def answer(query):
    number = int(query.split()[-1].strip("?"))
    lost = number < int(os.environ["RAG_LOST"])
    said = "No idea." if lost else f"It is {number} apples. [1]"
    return {"answer": said, "chunks": [{"doc_id": f"doc{number}.md", "text": f"{number} apples"}]}
"""


def touched(forge: Forge) -> Change:
    return forge.change({"rag.py": RAG})


def test_a_luckier_attempt_is_no_pass_where_the_red_one_is_not_kept(lucky: Forge) -> None:
    change = touched(lucky)
    assert attempt(lucky, change, 1, lost=30).exit_code == 1

    second = attempt(lucky, change, 2, lost=0)
    third = attempt(lucky, change, 3, lost=0, keep=True)
    fourth = attempt(lucky, change, 4, lost=0, keep=True)

    assert [one.exit_code for one in (second, third, fourth)] == [3, 3, 3], second.log
    assert second.outputs["verdict"] == "no_decision"
    assert NOT_KEPT in " ".join(second.log.split())
    assert "upload .ragate/result" in lucky.comment()
    assert lucky.states(change.head)[-1] == "error"


def test_a_pull_request_that_is_reopened_is_told_of_the_red_run_as_well(lucky: Forge) -> None:
    change = touched(lucky)
    attempt(lucky, change, 1, lost=30)

    result = attempt(lucky, change, 1, lost=0, run_id=12)

    assert result.exit_code == 3, result.log
    assert NOT_KEPT in " ".join(result.log.split())


def test_a_red_attempt_that_is_kept_stands_beside_the_next(lucky: Forge) -> None:
    change = touched(lucky)
    attempt(lucky, change, 1, lost=54, keep=True)

    result = attempt(lucky, change, 2, lost=0, keep=True)

    assert "earlier passes of this commit" in result.log
    assert NOT_KEPT not in " ".join(result.log.split())


def test_an_attempt_after_an_error_or_a_pass_is_no_second_draw(forge: Forge) -> None:
    change = forge.change(outputs())
    forge.github.fault("GET", "/git/trees/", status=500, times=99)
    assert forge.check(change, depth=1).exit_code == 3
    forge.github.faults.clear()

    for number in (2, 3):
        result = forge.check(change, run_attempt=number)
        assert result.exit_code == 0, result.log
        assert "earlier attempt" not in result.log


def test_an_attempt_without_a_status_is_said(forge: Forge) -> None:
    change = forge.change(outputs())

    result = forge.check(change, run_attempt=2)

    assert result.exit_code == 0, result.log
    told = "an earlier attempt of this commit left no status"
    assert any(one.startswith(told) for one in forge.report()["decision"]["warnings"])


def test_a_status_that_cannot_be_read_is_no_pass_on_a_second_attempt(forge: Forge) -> None:
    change = forge.change(outputs())
    forge.github.fault("GET", "/statuses$", status=403, times=99)

    assert forge.check(change, run_attempt=1).exit_code == 0
    result = forge.check(change, run_attempt=2)

    assert result.exit_code == 3, result.log
    assert "could not be read" in result.log


def test_a_failure_that_only_asked_for_a_look_is_not_red(forge: Forge) -> None:
    change = forge.change(outputs())
    first = judged(forge, change)
    assert first.exit_code == 0
    forge.github.statuses[change.head][-1]["state"] = "failure"  # as `fail-on: warn` has it

    assert judged(forge, change, attempt=2).exit_code == 0


def decided(forge: Forge, change: Change, lines: bytes, run_id: int, *, keep: bool) -> StepResult:
    """Decide as a workflow run of its own, which keeps what it leaves or does not."""
    result = forge.decide(change, lines, run_id=run_id)
    forge.github.add_run(run_id, head_sha=forge.base, event="workflow_run")
    if keep:
        upload(forge, run_id, f"ragate-gate-{change.head}-1", forge.last / ".ragate/result")
    return result


@pytest.mark.parametrize(("keep", "told"), [(True, "not among these"), (False, "is not kept")])
def test_a_second_collection_of_a_red_commit_is_no_new_draw(
    forge: Forge, keep: bool, told: str
) -> None:
    change = forge.change(outputs(broken=BROKEN), fork=FORK)
    red = forge.collected(change)
    green = forge.collected(forge.change(outputs(), number=8, fork=FORK))
    forge.github.pulls.pop(8)

    assert decided(forge, change, red, 21, keep=keep).exit_code == 1
    result = decided(forge, change, green, 22, keep=keep)

    assert result.exit_code == 3, result.log
    assert told in result.log
    assert forge.states(change.head)[-1] == "error"


def test_a_collection_that_holds_the_red_outputs_is_judged_with_them(forge: Forge) -> None:
    change = forge.change(outputs(broken=BROKEN), fork=FORK)
    lines = forge.collected(change)
    assert decided(forge, change, lines, 21, keep=True).exit_code == 1

    assert decided(forge, change, lines, 22, keep=True).exit_code == 1


def test_a_red_verdict_against_an_older_base_is_not_held_against_a_new_one(forge: Forge) -> None:
    change = forge.change(outputs(broken=BROKEN), fork=FORK)
    red = forge.collected(change)
    assert decided(forge, change, red, 21, keep=True).exit_code == 1
    green = forge.collected(forge.change(outputs(), number=8, fork=FORK))
    forge.github.pulls.pop(8)
    tip = forge.github.commit({"README.md": b"new"}, parents=[forge.base])
    assert forge.github.git.move("main", tip, forge.base)
    change.pull["mergeable"] = False

    result = decided(forge, change, green, 22, keep=True)

    assert result.exit_code == 0, result.log
