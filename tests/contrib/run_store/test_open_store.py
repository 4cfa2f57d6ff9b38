"""Where runs are kept: the state folder, or a store behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.contrib.run_store.shared_store import SharedStore
from ragate.resources.operations import Operations
from ragate.stores.local import LocalStore, open_store
from tests.unit.extension.test_extension import install, refused
from tests.unit.fresh import printed


def test_a_url_opens_the_store_behind_the_folder(tmp_path: Path) -> None:
    assert type(open_store(Operations({}, tmp_path))) is LocalStore
    assert type(open_store(Operations({}, tmp_path, runs_url="dbname=runs"))) is SharedStore


def test_a_list_of_the_store_waits_for_no_model() -> None:
    lists = "import sys, ragate.cli.commands.runs, ragate.contrib.run_store.shared_store"
    loaded = "print(*(name for name in ('pydantic', 'ragate.models') if name in sys.modules))"

    assert printed(f"{lists}\n{loaded}") == []


@pytest.mark.parametrize("scheme", ["", "postgresql", "postgres"])
def test_a_package_that_brings_what_is_ours_is_refused(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "greets", f'"greets", stores={{"{scheme}": "a:b"}}')

    said = refused(tmp_path, monkeypatch)

    assert f"the run store of '{scheme}' is brought twice: by run_store of ragate" in said
    assert "the package greets 1.0" in said
