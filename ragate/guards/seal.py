"""What decides is what it was before foreign code ran: loaded before, held against it after.

Code under test runs under our account, so that it can write into our files, into those of packages
that we use, and into the folders that Python searches. Before its first process is started, the
process of a command is sealed:

- what the run will import is imported (`expect`);
- what is imported later all the same is read once, and not run if it is newer than that moment;
- when a process of the project has ended, the files of ragate, of all that is loaded and of what
  Python starts with are looked at again. A difference is no decision (`refuse_changes`).

The process of somebody's tests is never sealed: the code under test is a guest of those.
"""

from __future__ import annotations

import os
import site
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from ragate.errors import TamperedError
from ragate.files.foreign_files import file_bytes, open_file
from ragate.process import INTERRUPTED, NO_DECISION, is_command, look_last
from ragate.repository.git_process import GitError, git_program, keep_no_folder

PACKAGE = Path(__file__).parents[1]
_STARTED_WITH = frozenset({"sitecustomize.py", "usercustomize.py"})
_NAMES_OF_PLUGINS = "entry_points.txt"
_MODULES = (".py", ".pyc", *EXTENSION_SUFFIXES)
_REMEDY = (
    "code under test may not write there, nor may anything else during a run: see what did; an "
    "environment that was written to is to be made anew before it holds a key again"
)
_LIMITS = "the limits of this process were lowered"
_LOOK_S = 0.5
Facts = tuple[int, ...]


@dataclass
class _Process:
    """This process, as far as it is sealed.

    Attributes:
        expected: Import what is needed later.
        seal: None as long as no foreign code was started.
        spoilt: What was found wrong and is not to be seen any more.
    """

    expected: list[Callable[[], None]]
    seal: Seal | None = None
    spoilt: str = ""


_process = _Process(expected=[])


def expect(load: Callable[[], None]) -> None:
    """Have `load` called before foreign code is started, if any ever is."""
    if is_command() and _process.seal is None:
        _process.expected.append(load)


def expect_modules(*names: str) -> None:
    """Have modules imported before foreign code is started, as far as they are installed."""
    expect(partial(load_modules, *names))


def load_modules(*names: str) -> None:
    """Import modules, as far as they are installed."""
    for name in names:
        with suppress(Exception):  # whoever needs it says what is wrong with it
            import_module(name)


def before_foreign_code() -> None:
    """Seal this process, once, where it is that of a command."""
    keep_no_folder()
    if not is_command() or _process.seal is not None or os.name != "posix":
        return
    for load in _process.expected:
        load()
    _process.seal = Seal.of_now()
    sys.meta_path.insert(0, NothingNewer(_process.seal))
    look_last(_no_code_but_3)
    watch = threading.Thread(target=_watch_limits, args=(_process.seal.limits,), daemon=True)
    watch.start()


def refuse_changes() -> None:
    """Look whether all is as it was when foreign code was first started.

    Raises:
        TamperedError: it is not: no decision.
    """
    changed = changes()
    if changed:
        raise TamperedError(f"while code under test ran, {changed}", remedy=_REMEDY)


def changes() -> str:
    """Return what has changed since, "" for nothing; what was found once is not forgotten."""
    if _process.seal is not None and not _process.spoilt:
        _process.spoilt = _process.seal.changes()
    return _process.spoilt


def spoil(found: str) -> None:
    """Let the process of a command come to no decision, whoever takes care of the error."""
    if _process.seal is not None:
        _process.spoilt = _process.spoilt or found


def _no_code_but_3(code: int) -> int:
    """Return the code of no decision where something has changed, whatever else went wrong."""
    if code in (NO_DECISION, INTERRUPTED) or not (changed := changes()):
        return code
    sys.stderr.write(f"ragate: while code under test ran, {changed}\n  -> {_REMEDY}\n")
    return NO_DECISION


def _watch_limits(limits: Sequence[tuple[int, int]]) -> None:
    """End this process at once where another one has lowered what it may take.

    What fails then fails anywhere, also where something is waited for that will not come any more.
    """
    told = f"ragate: while code under test ran, {_LIMITS}; no decision\n".encode()
    with suppress(MemoryError, OSError):
        while not _lowered(limits):
            time.sleep(_LOOK_S)
    with suppress(OSError):
        os.write(2, told)
    os._exit(NO_DECISION)


@dataclass(frozen=True)
class Folder:
    """A folder that Python searches.

    Attributes:
        descriptor: Keeps its number from being given to another folder.
        names: What it held, with the number of each.
    """

    descriptor: int
    names: Mapping[str, int]

    @classmethod
    def of(cls, path: str) -> Folder:
        with os.scandir(path) as entries:
            names = {entry.name: entry.inode() for entry in entries}
        return cls(os.open(path, os.O_RDONLY | os.O_CLOEXEC), names)

    def is_at(self, path: str) -> bool:
        """Return whether this folder still is what the path leads to."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(self.descriptor), os.stat(path))  # noqa: PTH116
        return False


@dataclass(frozen=True)
class Seal:
    """What this process and the next one of its environment load, as it was at one moment.

    Attributes:
        moment: By the clock of the file system, in ns. Nobody but the kernel sets what it is held
            against: the time of a file's last change of any kind.
        files: What tells a file from a changed one, by its path.
        compiled: The same of what Python compiled, which is removed where it is another one.
        folders: What Python searches.
        roots: Names of modules: a file that takes one of them would be imported in its place.
    """

    moment: int
    files: Mapping[str, Facts]
    compiled: Mapping[str, Facts]
    folders: Mapping[str, Folder]
    roots: frozenset[str]
    limits: Sequence[tuple[int, int]]

    @classmethod
    def of_now(cls) -> Seal:
        folders: dict[str, Folder] = {}
        for path in dict.fromkeys(sys.path):
            with suppress(OSError):
                folders[path] = Folder.of(path)
        loaded = {name.partition(".")[0] for name in list(sys.modules)}
        with tempfile.TemporaryFile() as file:
            moment = os.fstat(file.fileno()).st_ctime_ns
        paths = [*_own_files(), *_loaded_files(), *_programs(), *_starters(folders)]
        facts = {path: found for path in dict.fromkeys(paths) if (found := _facts(path))}
        compiled = {path: found for path, found in facts.items() if _is_compiled(path)}
        return cls(
            moment,
            {path: found for path, found in facts.items() if path not in compiled},
            compiled,
            folders,
            frozenset(loaded | sys.stdlib_module_names),
            _limits(),
        )

    def changes(self) -> str:
        """Return what has changed since, "" for nothing."""
        for path, facts in self.files.items():
            if _facts(path) != facts:
                return f"{path} was changed"
        for path in {*_own_files(), *self.compiled} - self.files.keys():
            if not self._stays_compiled(path):
                return f"{path} was added or changed"
        for path in _starters(self.folders):
            if path not in self.files and not _is_foreign_metadata(path):
                return f"{path} was added, which Python runs at its start"
        for path, folder in self.folders.items():
            if taken := next(self._taken(path, folder), ""):
                return f"{path}{os.sep}{taken} was added, which takes the place of a module"
        return _LIMITS if _lowered(self.limits) else ""

    def _stays_compiled(self, path: str) -> bool:
        """Return whether a file is compiled code as it was, or is gone: it is made anew."""
        if not _is_compiled(path):
            return False
        if _facts(path) != self.compiled.get(path, ()):
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108
            return not os.path.lexists(path)
        return True

    def _taken(self, path: str, folder: Folder) -> Iterator[str]:
        """Yield new names in a folder by which a known module would be found there."""
        with suppress(OSError):
            for name in os.listdir(path):  # noqa: PTH208
                root = name.partition(".")[0]
                if name not in folder.names and root in self.roots and _is_module(path, name):
                    yield name

    def is_old(self, path: str) -> bool:
        """Return whether a file is the one that its path led to when this process was sealed.

        Each folder on the way counts, from the one that is searched: another may have been moved
        to its place, with files that are old.
        """
        for step in (path, *map(str, Path(path).parents)):
            folder = self.folders.get(step)
            if folder is not None:
                return folder.is_at(step)
            try:
                facts = os.lstat(step)
            except OSError:
                return False
            parent, name = os.path.split(step)
            known = self.folders.get(parent)
            if known is not None and facts.st_ino == known.names.get(name) and step != path:
                continue  # it may hold more than it did
            if facts.st_ctime_ns > self.moment:
                return False
        return True


class NothingNewer(MetaPathFinder):
    """Finds modules as the others would, and refuses those that were written since."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is.

        Raises:
            ImportError: what would be run was changed since this process was sealed.
        """
        for finder in [finder for finder in sys.meta_path if finder is not self]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return self._held(spec)
        return None

    def _held(self, spec: ModuleSpec) -> ModuleSpec:
        if not spec.has_location or spec.origin is None:
            return spec
        if type(spec.loader) is SourceFileLoader:
            spec.loader = _ReadOnce(spec.loader.name, spec.loader.path)
            spec.loader.seal = self._seal
        elif not self._seal.is_old(spec.origin):
            raise _newer(spec.origin)
        return spec


class _ReadOnce(SourceFileLoader):
    """Runs the bytes that were looked at: no file that was compiled, none that is swapped."""

    seal: Seal

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        with open_file(Path(self.path)) as file:
            content = file.read()
            newer = os.fstat(file.fileno()).st_ctime_ns > self.seal.moment
        if newer or not self.seal.is_old(self.path):
            raise _newer(self.path)
        code: CodeType = self.source_to_code(content, self.path)
        return code


def _newer(path: str) -> ImportError:
    return ImportError(f"{path} was written while code under test ran, and is not loaded")


def _facts(path: str) -> Facts:
    try:
        facts = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return ()
    return (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


def _own_files() -> Iterator[str]:
    """Yield what lies in our package, as `os.walk` does in twice the time."""
    folders = [str(PACKAGE)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if not _is_folder(entry):
                    yield entry.path
                elif not entry.is_symlink():
                    folders.append(entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether a name leads to a folder; a link in a circle hides no other name."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _loaded_files() -> Iterator[str]:
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        for path in (getattr(spec, "origin", None), getattr(spec, "cached", None)):
            if isinstance(path, str) and os.path.isabs(path):  # noqa: PTH117
                yield path


def _programs() -> Iterator[str]:
    yield os.path.realpath(sys.executable)
    yield from (sys.executable, os.path.abspath(sys.argv[0]))  # noqa: PTH100
    yield os.path.join(sys.prefix, "pyvenv.cfg")  # noqa: PTH118
    with suppress(GitError):
        yield git_program()


def _starters(folders: Iterable[str]) -> Iterator[str]:
    """Yield what the next Python of this environment runs by itself, or the next ragate by name."""
    for folder in dict.fromkeys([*folders, site.getusersitepackages()]):
        with suppress(OSError):
            for name in os.listdir(folder):  # noqa: PTH208
                path = os.path.join(folder, name)  # noqa: PTH118
                if name.endswith(".pth") or name in _STARTED_WITH:
                    yield path
                elif name.endswith((".dist-info", ".egg-info")):
                    yield os.path.join(path, _NAMES_OF_PLUGINS)  # noqa: PTH118


def _is_foreign_metadata(path: str) -> bool:
    """Return whether a new package names no plugin of ours: some are fetched when first needed."""
    if not path.endswith(_NAMES_OF_PLUGINS):
        return False
    try:
        os.stat(path)  # noqa: PTH116 - most packages have none, and a look is cheaper than reading
        return b"ragate" not in file_bytes(Path(path))
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _is_module(folder: str, name: str) -> bool:
    inner = os.path.join(folder, name, "__init__.py")  # noqa: PTH118
    return name.endswith(_MODULES) or os.path.lexists(inner)


def _is_compiled(path: str) -> bool:
    return path.rpartition(os.sep)[0].endswith(f"{os.sep}__pycache__")


def _limits() -> list[tuple[int, int]]:
    try:
        import resource
    except ImportError:  # Windows
        return []
    names = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
    return [resource.getrlimit(getattr(resource, name)) for name in names]


def _lowered(limits: Sequence[tuple[int, int]]) -> bool:
    """Return whether this process may take less of anything than it could; -1 is no limit."""
    return any(
        new != old and new != -1 and (old == -1 or new < old)
        for (new, _), (old, _) in zip(_limits(), limits, strict=True)
    )
