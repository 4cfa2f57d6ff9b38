"""What doctor says of the state folder and of what git has of it."""

from __future__ import annotations

from ragate.cli.doctor import state_folder
from tests.unit.cli.doctor.doctor_factories import statuses


def test_the_state_folder_must_be_writable_and_ignored() -> None:
    def state(*, writable: bool = True, ignored: bool | None = True, size: int = 0) -> list[str]:
        found = state_folder.state_folder(
            ".ragate", writable=writable, ignored=ignored, runs=1, size=size
        )
        return statuses(found)

    assert state() == state(ignored=None) == ["ok"]
    assert state(writable=False) == ["problem"]
    assert state(ignored=False) == ["ok", "warning"]
    assert state(size=2_000_000_000) == ["ok", "warning"]


def test_a_baseline_that_git_does_not_have_is_pointed_out() -> None:
    assert state_folder.committed("b.json", tracked=True, ignored=False) == []
    assert state_folder.committed("b.json", tracked=None, ignored=None) == []
    assert statuses(state_folder.committed("b.json", tracked=False, ignored=False)) == ["warning"]
    assert statuses(state_folder.committed("b.json", tracked=False, ignored=True)) == ["problem"]
