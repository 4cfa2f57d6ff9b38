"""What the tests of the installed command share: the database of the session."""

import pytest

from ragate.database import PostgresDatabase
from tests.e2e.command import CLEAN
from tests.integration.conftest import database, made

__all__ = ["database", "made"]


@pytest.fixture
def served(database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of this test use the server of the session: to start one takes a second."""
    monkeypatch.setitem(CLEAN, "RAGATE_DATABASE_URL", database.conninfo())
