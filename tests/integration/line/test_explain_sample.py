"""Both sides of one sample."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost

pytestmark = pytest.mark.integration


def test_explain_shows_both_sides_of_one_sample(gated, capsys):
    gated.record(lost(2))
    run(["check"])
    capsys.readouterr()

    assert run(["report", "latest", "--explain", "q0"]) == 0

    out = capsys.readouterr().out
    assert "No idea." in out
    assert "0 apples" in out
    assert "doc0.md" in out
