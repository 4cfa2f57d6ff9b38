"""What `baseline update` prints of the figures that it recorded."""

from __future__ import annotations

import pytest

from ragate.cli.commands.baseline import _means
from tests.unit.core.decision_factories import columns, run_of, samples_of


def test_a_change_is_the_new_mean_less_the_old_one(capsys: pytest.CaptureFixture[str]):
    samples = samples_of(2)
    old = run_of({"faithfulness": columns([[0.5], [0.5]])}, samples)
    new = run_of({"faithfulness": columns([[0.5], [0.9]])}, samples)

    _means(new, old)

    assert "faithfulness             0.700  (+0.200)" in capsys.readouterr().out
