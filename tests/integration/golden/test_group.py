"""The tools of a golden set, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


def test_an_unknown_tool_names_the_nearest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "validat"]) == 2
    assert "did you mean 'validate'?" in capsys.readouterr().err
