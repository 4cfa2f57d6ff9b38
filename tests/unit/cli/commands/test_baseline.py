"""What `baseline update` prints of the figures that it recorded."""

from __future__ import annotations

import pytest

from ragate.cli.commands.baseline import _means


def test_a_change_is_the_new_mean_less_the_old_one(capsys: pytest.CaptureFixture[str]):
    _means({"faithfulness": 0.7}, {"faithfulness": 0.5})

    assert "faithfulness             0.700  (+0.200)" in capsys.readouterr().out
