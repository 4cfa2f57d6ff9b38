"""Without a URL nothing of a database is imported."""

from __future__ import annotations

from pathlib import Path

from ragate.stores.local import LocalStore
from ragate.stores.postgres import open_store
from ragate.stores.postgres.shared_store import SharedStore
from tests.unit.fresh import printed


def test_a_url_opens_the_store_behind_the_folder(tmp_path: Path) -> None:
    assert type(open_store(tmp_path, "")) is LocalStore
    assert type(open_store(tmp_path, "dbname=runs")) is SharedStore


def test_without_a_url_psycopg_is_not_imported() -> None:
    code = (
        "import sys, pathlib\n"
        "import ragate.run.one_run, ragate.cli.commands.runs\n"
        "from ragate.stores.postgres import *\n"
        "open_store(pathlib.Path('.'), ''); reach_store('')\n"
        "print(*(name for name in sys.modules if name.startswith('psycopg')))"
    )

    assert printed(code) == []
