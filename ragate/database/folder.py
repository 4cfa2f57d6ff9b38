"""Where the embedded server keeps its data and its socket."""

import hashlib
import os
import stat
from pathlib import Path

from ragate.database.install import Account, can_enter
from ragate.errors import DatabaseError
from ragate.support.atomic_files import write_atomic

SOCKET_NAME = ".s.PGSQL.5432"
PROJECT = "project"  # in a fallback folder: names the state folder it stands for
# Bytes. sun_path holds 104 on macOS and 108 on Linux, with the final zero:
# https://man7.org/linux/man-pages/man7/unix.7.html
SOCKET_LIMIT = 100
BASE = Path("/var/tmp")  # noqa: S108 - survives a restart; `private_base` checks the owner


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
        return mark.read_bytes()
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


def socket_folder(data: Path, account: Account | None, *, base: Path = BASE) -> Path:
    """Return the folder for the socket: the data folder unless its path is too long for one."""
    if len(os.fsencode(data / SOCKET_NAME)) <= SOCKET_LIMIT:
        return data
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    folder = private_base(base) / f"socket-{name}"
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
