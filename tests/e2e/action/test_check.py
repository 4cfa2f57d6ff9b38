"""Mode check, as the runner starts it: the base's rules decide on the change's system."""

from __future__ import annotations

import pytest

from tests.e2e.action.forge import Forge, outputs

pytestmark = pytest.mark.e2e


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
