"""What systems that ragate did not build have in common: little is known of them."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from ragate.core.hashing import digest
from ragate.errors import ConfigError
from ragate.models import Frozen, SystemInfo
from ragate.support.foreign_files import inside, read_bytes
from ragate.support.glob_hints import HOW_READ, why_no_match

MAX_FILES = 10_000
_TRAVEL = {"record", "record_provider", "record_header"}
MAX_FILE_BYTES = 64 * 1024 * 1024


class ForeignSettings(Frozen):
    """Keys that every such system has.

    Attributes:
        record: Its model calls go through ragate, which keeps and replays them.
        record_provider: The provider of the policy that they go to; "" where there is only one.
    """

    record: bool = False
    record_provider: str = ""

    fingerprint_files: tuple[str, ...] = Field(
        default=(),
        description="Glob patterns of all files that can change an output; equal files and "
        "settings are then one and the same system.",
    )


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


def system_info(use: str, settings: ForeignSettings, root: Path) -> SystemInfo:
    """Return what is told of the system; without `fingerprint_files` it is like no other.

    Raises:
        ConfigError: a pattern leads out of the project, or matches no file.
    """
    if not settings.fingerprint_files:
        return SystemInfo(use=use)
    parts = {
        # How its calls travel is no part of what it is.
        "settings": digest(settings.model_dump(mode="json", exclude=_TRAVEL)),
        "files": digest(_files(root.resolve(), settings.fingerprint_files)),
    }
    return SystemInfo(use=use, fingerprint=digest(parts), parts=parts)


def _files(root: Path, patterns: tuple[str, ...]) -> Mapping[str, str]:
    """Return the hash of each file by its path below `root`."""
    hashes: dict[str, str] = {}
    for pattern in patterns:
        where = f"[system] fingerprint_files: {pattern!r}"
        paths = _matches(root, pattern, where)
        for path in paths:
            name = path.relative_to(root).as_posix()
            real = inside(root, name, where=where, error=ConfigError)
            content = read_bytes(real, error=ConfigError, max_bytes=MAX_FILE_BYTES)
            hashes[name] = digest(content.hex())
    return hashes


def _matches(root: Path, pattern: str, where: str) -> list[Path]:
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
