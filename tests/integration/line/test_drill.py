"""Breaks that are planted in stored outputs."""

from __future__ import annotations

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


def test_the_drill_catches_a_lost_document_and_says_what_it_cannot_see(gated, capsys):
    run(["check"])
    capsys.readouterr()

    assert run(["drill"]) == 0

    out = capsys.readouterr().out
    assert "caught by hit_rate@5" in out
    assert "not caught" in out
