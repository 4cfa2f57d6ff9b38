"""Mode check, as the runner starts it: the base's rules decide on the change's system."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.container.runner import COMMAND
from tests.e2e.action.forge import Forge, outputs

pytestmark = pytest.mark.e2e
GOLDEN = Path(__file__).parents[2] / "golden" / "action_regression.md"
# Here the step is started as the image starts it; elsewhere it is a fork of what has imported it.
STEP = [sys.executable, *COMMAND]


def steady(comment: str) -> str:
    """Return the comment without what is another one every day: commits, times, versions."""
    for pattern, word in (
        (r"head=[0-9a-f]{40}", "head=HEAD"),
        (r"/blob/[0-9a-f]{40}/", "/blob/COMMIT/"),
        (r"\b[0-9a-f]{7} against [0-9a-f]{7}\b", "HEAD against BASE"),
        (r"\b[0-9.]+ (?:ms|s)\b", "1 s"),
        (r"accept [0-9a-f]{7} ", "accept HEAD "),
        (r"of [0-9]{4}-[0-9]{2}-[0-9]{2}", "of DATE"),
        (r"(?<= · )ragate \d[\d.]*", "ragate VERSION"),
    ):
        comment = re.sub(pattern, word, comment)
    return comment


def test_the_comment_says_what_broke_and_what_to_type(forge: Forge) -> None:
    result = forge.check(forge.change(outputs(broken=range(12))), entrypoint=STEP)
    assert result.exit_code == 1, result.log
    text = steady(forge.comment())
    if os.environ.get("RAGATE_UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text, "RAGATE_UPDATE_GOLDEN=1 writes it anew"


def test_a_change_that_breaks_retrieval_fails_and_the_repaired_one_passes(forge: Forge) -> None:
    broken = forge.change(outputs(broken=range(12)))
    result = forge.check(broken)
    assert result.exit_code == 1, result.log
    assert result.outputs["verdict"] == "failed"
    assert result.outputs["passed"] == "false"
    assert forge.states(broken.head) == ["pending", "failure"]
    assert forge.states(broken.merge) == []
    assert "blocks" in forge.comment()

    repaired = forge.change(outputs())
    result = forge.check(repaired)
    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "passed"
    assert forge.states(repaired.head) == ["pending", "success"]
    assert repaired.head[:7] in forge.comment()


def test_a_step_starts_git_few_times(forge: Forge, tmp_path: Path) -> None:
    started, counting = tmp_path / "started", tmp_path / "bin" / "git"
    counting.parent.mkdir()
    counting.write_text(f'#!/bin/sh\necho "$*" >> {started}\nexec {shutil.which("git")} "$@"\n')
    counting.chmod(0o755)
    change = forge.change(outputs(broken=range(12)))

    result = forge.check(change, env={"PATH": f"{counting.parent}:{os.environ['PATH']}"})

    assert result.exit_code == 1, result.log
    assert len(started.read_text().splitlines()) < 12
