"""A role that cannot do what is begun with it is told so at the beginning."""

from __future__ import annotations

import pytest

from ragate.errors import DatabaseError
from ragate.queue.schema import make_schemas, wait_for_schemas
from tests.servers.queue_roles import PULL, SUBMITTER, logged_in

pytestmark = pytest.mark.integration


def test_a_submitters_role_serves_nothing(queue: str) -> None:
    make_schemas(logged_in(queue, SUBMITTER))

    with pytest.raises(DatabaseError, match="may not serve runs, it submits them") as caught:
        wait_for_schemas(logged_in(queue, SUBMITTER), say=pytest.fail)

    assert "--worker NAME" in caught.value.remedy


def test_a_workers_role_submits_nothing(queue: str) -> None:
    wait_for_schemas(logged_in(queue, PULL), say=pytest.fail)

    with pytest.raises(DatabaseError, match="may not submit runs, it serves them") as caught:
        make_schemas(logged_in(queue, PULL))

    assert "--submitter NAME" in caught.value.remedy
