"""Where runs are kept: the state folder, or a store behind it."""

from __future__ import annotations

from pathlib import Path

from ragate.resources.operations import Operations
from ragate.stores.local import LocalStore, open_store
from ragate.stores.postgres.shared_store import SharedStore


def test_a_url_opens_the_store_behind_the_folder(tmp_path: Path) -> None:
    assert type(open_store(Operations({}, tmp_path))) is LocalStore
    assert type(open_store(Operations({}, tmp_path, runs_url="dbname=runs"))) is SharedStore
