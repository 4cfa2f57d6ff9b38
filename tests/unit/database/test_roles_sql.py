from __future__ import annotations

import pytest

from ragate.database.roles_sql import roles_sql
from ragate.errors import UsageError


def test_each_role_is_made_in_its_group() -> None:
    text = roles_sql(("one", "two"), ("gate",))

    for statement in ("GRANT ragate_workers TO one", "GRANT ragate_workers TO two"):
        assert statement in text
    assert "GRANT ragate_submitters TO gate" in text
    assert "{" not in text


@pytest.mark.parametrize(
    "name",
    [
        *("", "Worker", "a-b", "1st", "ä", "x; DROP TABLE y", "'", "a" * 64),
        *("pg_monitor", "ragate_owner", "gate"),
    ],
)
def test_a_name_that_needs_quotes_or_is_used_already_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        roles_sql((name,), ("gate",))

    assert repr(name) in str(caught.value) or "gate" in str(caught.value)
