"""Breaks that are planted in stored outputs."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.unit.whole import of_the_whole

pytestmark = pytest.mark.integration


@of_the_whole
def test_the_drill_catches_a_lost_document_and_says_what_it_cannot_see(gated, capsys):
    run(["check"])
    capsys.readouterr()

    assert run(["drill"]) == 0

    out = capsys.readouterr().out
    assert "caught by hit_rate@5" in out
    assert "not caught" in out
