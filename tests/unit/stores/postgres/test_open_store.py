"""Without a URL nothing of a database is imported."""

from __future__ import annotations

from pathlib import Path

from ragate.stores.local import LocalStore
from ragate.stores.postgres import open_store
from ragate.stores.postgres.shared_store import SharedStore


def test_a_url_opens_the_store_behind_the_folder(tmp_path: Path) -> None:
    assert type(open_store(tmp_path, "")) is LocalStore
    assert type(open_store(tmp_path, "dbname=runs")) is SharedStore
