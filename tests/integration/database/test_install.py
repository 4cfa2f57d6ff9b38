"""The server's programs, and the account that they run as."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragate.database import install
from ragate.database.install import Account, PostgresPrograms, find_account
from tests.integration.database.server_users import as_root

pytestmark = pytest.mark.integration


@as_root
def test_programs_below_a_private_folder_are_copied_for_the_account(state: Path) -> None:
    (state / "private" / "pg" / "bin").mkdir(parents=True)
    (state / "private" / "pg" / "bin" / "postgres").write_text("program")
    (state / "private").chmod(0o700)
    programs = PostgresPrograms(state / "private" / "pg" / "bin", 18)
    account = Account(65534, 65534)

    first = install.reachable(programs, account, state)

    assert (first.folder / "postgres").read_text() == "program"
    assert install.can_enter(first.folder, account)
    assert install.reachable(programs, account, state) == first
    assert install.reachable(programs, None, state) == programs


def test_copied_programs_find_their_libraries(state: Path) -> None:
    copy = state / "copy"

    install._copy_programs(install.find_programs(), copy)

    initdb = copy / "package" / "install" / "bin" / "initdb"
    done = subprocess.run([str(initdb), "--version"], capture_output=True, text=True, check=True)
    assert "PostgreSQL" in done.stdout


@as_root
def test_no_account_is_made_for_the_server() -> None:
    before = Path("/etc/passwd").read_text(encoding="utf-8")

    account = find_account()

    assert account is not None
    assert account.uid != 0
    assert Path("/etc/passwd").read_text(encoding="utf-8") == before
