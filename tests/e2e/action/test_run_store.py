"""The action and the run store: nothing of it where strangers' code runs."""

from __future__ import annotations

import pytest

from tests.e2e.action.forge import Forge, outputs
from tests.e2e.action.test_publishing import everything

pytestmark = pytest.mark.e2e
FORK = "stranger/handbook"
NOWHERE = {"RAGATE_RUNS_URL": "postgresql://me:secret-canary@127.0.0.1:9/runs"}


def test_a_store_that_is_not_there_is_told_before_a_check_of_the_own_repository(
    forge: Forge,
) -> None:
    result = forge.check(forge.change(outputs(broken=range(12))), env=NOWHERE)

    assert result.exit_code == 3, result.log
    shown = everything(forge, result)
    assert "run store: Postgres at 127.0.0.1:9" in shown
    assert "secret-canary" not in shown


def test_a_check_of_a_fork_does_not_look_at_it(forge: Forge) -> None:
    change = forge.change(outputs(broken=range(12)), fork=FORK)

    result = forge.check(change, env=NOWHERE)

    assert result.exit_code == 1, result.log
    assert "run store" not in everything(forge, result)
