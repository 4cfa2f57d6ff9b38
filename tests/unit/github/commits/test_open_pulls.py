"""Whose run it is: by the repository's number where both sides know it, else by its name."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.github.commits.open_pulls import _is_source
from ragate.github.event.event import RunRef


def run_of(number: int) -> RunRef:
    known: dict[str, Any] = dict.fromkeys(RunRef.__dataclass_fields__, "")
    known |= {"head_repository": "octo/fork", "head_repository_id": number}
    return RunRef(**known)


@pytest.mark.parametrize(
    ("ours", "theirs", "name", "same"),
    [
        (7, 7, "octo/renamed", True),
        (7, 8, "octo/fork", False),
        (0, 7, "octo/fork", True),
        (7, None, "octo/fork", True),
        (0, None, "octo/other", False),
    ],
)
def test_the_number_decides_where_both_sides_know_it(
    ours: int, theirs: int | None, name: str, same: bool
):
    assert _is_source(run_of(ours), {"id": theirs, "full_name": name}) is same
