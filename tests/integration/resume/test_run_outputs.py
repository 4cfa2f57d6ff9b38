"""The outputs file of an interrupted run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.resume.interrupted import SAMPLES, Service, finished, folder, interrupted

pytestmark = pytest.mark.integration


def test_a_line_that_was_cut_off_is_a_sample_that_is_not_finished(
    root: Path, service: Service
) -> None:
    interrupted(root, keeping=9)
    path = folder(root) / "outputs.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    cut = set(finished(root))

    there = {sample for sample, _ in cut}
    service.asked.clear()
    run(["check", "--resume"])

    assert not there & {f"q{text[8:-1]}" for text in service.asked}
    assert len(finished(root)) == SAMPLES
    assert len(cut) == 8


def test_a_broken_line_in_the_middle_is_named_and_nothing_lost(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(root)
    path = folder(root) / "outputs.jsonl"
    lines = path.read_text().splitlines()
    lines[2] = lines[2][:-5]
    path.write_text("\n".join(lines) + "\n")
    content = path.read_bytes()

    assert run(["check", "--resume"]) == 3

    error = capsys.readouterr().err
    assert f"{path}:3:" in error
    assert "begin a new one" in error
    assert path.read_bytes() == content
