"""Where runs are kept: the state folder, or a store behind it."""

from __future__ import annotations

from pathlib import Path

from ragate.contrib.run_store.shared_store import SharedStore
from ragate.resources.operations import Operations
from ragate.stores.local import LocalStore, open_store
from tests.unit.fresh import printed


def test_a_url_opens_the_store_behind_the_folder(tmp_path: Path) -> None:
    assert type(open_store(Operations({}, tmp_path))) is LocalStore
    assert type(open_store(Operations({}, tmp_path, runs_url="dbname=runs"))) is SharedStore


def test_a_list_of_the_store_waits_for_no_model() -> None:
    lists = "import sys, ragate.cli.commands.runs, ragate.contrib.run_store.shared_store"
    loaded = "print(*(name for name in ('pydantic', 'ragate.models') if name in sys.modules))"

    assert printed(f"{lists}\n{loaded}") == []
