"""What systems that ragate did not build have in common: little is known of them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ClassVar

from ragate.core.hashing import digest
from ragate.errors import ConfigError
from ragate.files.find_files import HOW_READ, why_no_match
from ragate.files.foreign_files import inside, read_bytes
from ragate.models import Frozen, Sample, SystemInfo

_REPLIES: ContextVar[list[Any] | None] = ContextVar("replies", default=None)
MAX_FILES = 10_000
_TRAVEL = {"record", "record_provider", "record_header"}
MAX_FILE_BYTES = 64 * 1024 * 1024


class ForeignSettings(Frozen):
    """Keys that every such system has.

    Attributes:
        later_keys: Keys that came after the first baselines with a fingerprint.
        record: Its model calls go through ragate, are [recorded](replay.md) and replayed.
        record_provider: The provider of the policy that they go to; empty where there is only one.
        fingerprint_files: Patterns of [all files that can change an output](system-python.md);
            equal files and settings are then one and the same system.
    """

    later_keys: ClassVar[frozenset[str]] = frozenset()

    @property
    def loaded(self) -> tuple[str, ...]:
        """Patterns of files that are loaded into the system before it is asked."""
        return ()

    record: bool = False
    record_provider: str = ""

    fingerprint_files: tuple[str, ...] = ()


class Foreign:
    """The base of such a system: nothing to prepare, no list of documents, any number of runs."""

    max_runs: int | None = None
    max_concurrency: int | None = None

    def __init__(self, use: str, settings: ForeignSettings, root: Path) -> None:
        self.info = system_info(use, settings, root)

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Nothing to prepare, and nothing to rebuild."""

    async def documents(self) -> frozenset[str] | None:
        """It is not known what else could have been retrieved."""
        return None


def no_place_for_turns(sample: Sample, where: str, *, remedy: str) -> ConfigError:
    """Return the error of a system that cannot be given the earlier turns of a sample.

    Leaving them out would ask another question than the golden set's.
    """
    return ConfigError(
        f"{where}: the sample {sample.id} has earlier turns (messages), which it does not take",
        remedy=remedy,
    )


def system_info(use: str, settings: ForeignSettings, root: Path) -> SystemInfo:
    """Return what is told of the system; without `fingerprint_files` it is like no other.

    Raises:
        ConfigError: a pattern leads out of the project, or matches no file.
    """
    if not settings.fingerprint_files:
        return SystemInfo(use=use)
    parts = {
        # How its calls travel is no part of what it is.
        "settings": digest(_counted(settings)),
        "files": digest(_files(root.resolve(), (*settings.fingerprint_files, *settings.loaded))),
    }
    return SystemInfo(use=use, fingerprint=digest(parts), parts=parts)


def _counted(settings: ForeignSettings) -> dict[str, Any]:
    """Return the keys that make the system what it is.

    One of `later_keys` counts only where it is set, so that a new key of ragate's leaves the
    fingerprint of every system that does not use it as it was.
    """
    fields = settings.model_dump(mode="json", exclude=_TRAVEL)
    default = type(settings).model_fields
    unused = (
        name for name in settings.later_keys if getattr(settings, name) == default[name].default
    )
    for name in unused:
        del fields[name]
    return fields


def _files(root: Path, patterns: tuple[str, ...]) -> Mapping[str, str]:
    """Return the hash of each file by its path below `root`."""
    hashes: dict[str, str] = {}
    for pattern in patterns:
        where = f"[system] fingerprint_files: {pattern!r}"
        paths = matching_files(root, pattern, where)
        for path in paths:
            name = path.relative_to(root).as_posix()
            real = inside(root, name, where=where, error=ConfigError)
            content = read_bytes(real, error=ConfigError, max_bytes=MAX_FILE_BYTES)
            hashes[name] = digest(content.hex())
    return hashes


def matching_files(root: Path, pattern: str, where: str) -> list[Path]:
    """Return the files below `root` that a pattern names.

    Raises:
        ConfigError: it leads out of the project, or matches no file, or very many.
    """
    parts = Path(pattern).parts
    if not parts or Path(pattern).is_absolute() or ".." in parts:
        raise ConfigError(
            f"{where}: leads out of the project", remedy="write it relative to ragate.toml"
        )
    paths = [
        path for path in root.glob(pattern) if path.is_file() and "__pycache__" not in path.parts
    ]
    if not paths:
        why = f": {found}" if (found := why_no_match(root, pattern)) else ""
        raise ConfigError(
            f"{where} matches no file below {root}{why}",
            remedy=f'{HOW_READ}, such as "app/**/*.py"',
        )
    if len(paths) > MAX_FILES:
        raise ConfigError(f"{where} matches {len(paths)} files, and the limit is {MAX_FILES}")
    return paths


# Replies as they came, for who looks at one before saying how it is read: ``init``, ``doctor``.


@contextmanager
def noted_replies() -> Iterator[list[Any]]:
    """Yield the list that gets each reply of a system that is asked meanwhile, unread."""
    replies: list[Any] = []
    token = _REPLIES.set(replies)
    try:
        yield replies
    finally:
        _REPLIES.reset(token)


def note(reply: Any) -> None:
    """Keep a reply for who looks; nobody does in a run."""
    if (replies := _REPLIES.get()) is not None:
        replies.append(reply)
