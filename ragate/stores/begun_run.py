"""A run under way, as its folder says: what it was begun with, so that only that goes on.

``begun.json`` stands there before the first sample is asked. A run without ``manifest.json``, whose
``begun.json`` does not say that it ended, was interrupted.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from ragate.errors import StorageError, UsageError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import read_bytes
from ragate.files.strict_json import loads
from ragate.models import EarlierRun, Filters, Frozen
from ragate.settings import first_fault, nearest
from ragate.stores import BEGUN, LOCK, OUTPUTS
from ragate.stores.local import LocalStore, is_run_id

_MOST_BYTES = 16 * 1024 * 1024


class BegunState(Frozen):
    """What a run was begun with. Where one of these differs, it is another run.

    Attributes:
        command: ``check`` or ``collect``.
        side: Of trust: where it ran, and whether a judge might be asked.
        commit: The full sha.
        changed: Hashes of the files that differ from the commit, by path.
        policy, system: Hashes by key of ``ragate.toml``.
        dataset, baseline: Hashes; "" where there is no baseline.
    """

    command: str
    side: str
    gate: str
    ragate_version: str
    commit: str
    changed: dict[str, str]
    policy: dict[str, str]
    system: dict[str, str]
    dataset: str
    baseline: str


class BegunRun(Frozen):
    """A run under way.

    Attributes:
        eval_date: As it was given; `asked_on` is the date that counted, "" where none did.
        evidence, earlier, same_state: As in its manifest: the state that is judged, and the passes
            taken over, which stand before its own.
        ended: It came to its end.
    """

    run_id: str
    state: BegunState
    filters: Filters = Filters()
    retrieval_only: bool = False
    runs: int = 1
    eval_date: str = ""
    asked_on: str = ""
    evidence: str = ""
    earlier: tuple[EarlierRun, ...] = ()
    same_state: bool = False
    ended: bool = False


def save_begun(store: LocalStore, run: BegunRun) -> None:
    """Note in a run's folder what it was begun with."""
    write_atomic(store.folder(run.run_id) / BEGUN, run.model_dump_json(indent=1).encode() + b"\n")


def find_interrupted(store: LocalStore, name: str, *, gate: str, command: str) -> BegunRun:
    """Return a run of the store that was interrupted.

    Args:
        name: Its id, or ``latest`` for the newest of this gate and command.

    Raises:
        UsageError: there is none, or it came to its end: nobody draws an answer twice.
        StorageError: what it was begun with cannot be read.
    """
    if name != "latest":
        return interrupted_run(store, name)
    for folder in sorted(store.runs.glob(f"*/{BEGUN}"), reverse=True):
        try:
            run = read_begun(folder.parent)
        except StorageError:
            continue
        own = run.state.gate == gate and run.state.command == command
        if own and not _is_finished(store, run):
            return run
    raise UsageError(
        f"no interrupted `{command}` of the gate {gate!r} in {store.runs}",
        remedy=f"`ragate {command}` begins a new run",
    )


def interrupted_run(store: LocalStore, name: str) -> BegunRun:
    """Return the run of an id; raises as `find_interrupted`."""
    folder = store.folder(name) if is_run_id(name) else store.runs
    if folder == store.runs or not folder.is_dir() or folder.is_symlink():
        known = sorted(path.parent.name for path in store.runs.glob(f"*/{OUTPUTS}"))
        raise UsageError(
            f"--resume {name}: no run of that id in {store.runs}{nearest(name, known[-20:])}",
            remedy="leave the id out for the newest run that was interrupted",
        )
    finished = (folder / "manifest.json").is_file()
    if not finished and not (folder / BEGUN).is_file():
        raise UsageError(
            f"--resume {name}: nothing was asked yet, or another ragate began it",
            remedy="begin a new run; `ragate decide` judges the outputs that are there",
        )
    if finished or _is_finished(store, run := read_begun(folder)):
        raise UsageError(
            f"--resume {name}: this run came to its end, and no answer is drawn twice",
            remedy=f"`ragate report {name}` shows it; a run without --resume is a new one",
        )
    return run


def _is_finished(store: LocalStore, run: BegunRun) -> bool:
    return run.ended or (store.folder(run.run_id) / "manifest.json").is_file()


def read_begun(folder: Path) -> BegunRun:
    """Return with what the run of a folder was begun.

    Raises:
        StorageError: it cannot be read, or is of another run or another ragate.
    """
    path = folder / BEGUN
    try:
        content = read_bytes(path, error=StorageError, max_bytes=_MOST_BYTES)
        run = BegunRun.model_validate(loads(content, where=str(path), error=StorageError))
    except ValidationError as error:
        raise StorageError(
            f"{path}: {first_fault(error)}", remedy="another ragate began it: begin a new run"
        ) from error
    if run.run_id != folder.name:
        raise StorageError(
            f"{path}: it is of the run {run.run_id!r}",
            remedy="a run is not copied: begin a new one",
        )
    return run


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a run's folder: two processes would both ask what is not finished.

    The kernel lets go when the process ends, however it ends. Windows has no such lock.

    Raises:
        UsageError: a process is at it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("ab") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass
        except BlockingIOError as error:
            raise UsageError(
                f"the run {folder.name} is still under way",
                remedy="wait for it, or end its process first",
            ) from error
        except OSError as error:
            if error.errno not in {errno.ENOLCK, errno.ENOTSUP}:  # a file system without locks
                raise
        yield
