"""Steps that fill a project's database or index before it can answer: the job in CI needs them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from ragate.support.foreign_files import start_of

_MAX_BYTES = 200_000
_NAME = r"(?:db[:-])?(?:seed|ingest|index|build[-_:]index|load[-_:]data|populate|import[-_:]docs)"
_TARGET = re.compile(rf"^({_NAME})\s*:(?!=)", re.MULTILINE)
_SCRIPT = re.compile(_NAME)
_SERVICE = re.compile(rf"^  ({_NAME}):\s*$", re.MULTILINE)


def find_seeds(root: Path, top: Path) -> tuple[str, ...]:
    """Return the commands of the first place that has any, to be run in `root`.

    Args:
        top: The repository's root, whose Makefile may serve a project below it.
    """
    for folder in dict.fromkeys((root, top)):
        up = "" if folder == root else "/".join([".."] * len(root.relative_to(top).parts))
        for commands in (
            _make(folder, up),
            _npm(folder) if folder == root else (),
            _compose(folder, up),
        ):
            if found := tuple(commands):
                return found
    return ()


def _make(folder: Path, up: str) -> Iterator[str]:
    for match in _TARGET.finditer(start_of(folder / "Makefile", _MAX_BYTES)):
        yield f"make -C {up} {match[1]}" if up else f"make {match[1]}"


def _npm(folder: Path) -> Iterator[str]:
    try:
        scripts = json.loads(start_of(folder / "package.json", _MAX_BYTES) or "{}").get(
            "scripts", {}
        )
        names = [str(name) for name in scripts]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return
    yield from (f"npm run {name}" for name in names if _SCRIPT.fullmatch(name))


def _compose(folder: Path, up: str) -> Iterator[str]:
    for name in ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"):
        for match in _SERVICE.finditer(start_of(folder / name, _MAX_BYTES)):
            file = f" -f {up}/{name}" if up else ""
            yield f"docker compose{file} run --rm {match[1]}"
