"""Recording a baseline of a system that repeats."""

from __future__ import annotations

import sys

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


COMMAND = f"use = \"command\"\ncommand = ['{sys.executable}', 'serve.py']"


DECLARED = 'repeats = ["retrieval", "answer"]'


def test_the_passes_of_a_baseline_come_from_three_processes(project):
    project.configure(DECLARED, COMMAND)
    assert run(["baseline", "update"]) == 0
    assert len(set((project.root / "sessions.txt").read_text().split())) == 3


def test_without_the_declaration_one_process_gives_them_all(project):
    project.configure("", COMMAND)
    assert run(["baseline", "update"]) == 0
    assert len(set((project.root / "sessions.txt").read_text().split())) == 1
