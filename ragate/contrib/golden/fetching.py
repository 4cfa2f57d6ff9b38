"""A data set of BEIR: its archive from the known address, or from a file, as a folder.

The hash of what came is noted beside the folder, to be committed: another archive under the same
name is refused from then on.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.error import URLError
from urllib.request import urlopen

from ragate.errors import DatasetError, ProviderError, UsageError
from ragate.files.foreign_files import open_regular, read_text
from ragate.settings import nearest

ADDRESS = "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/{name}.zip"
NAMES = (
    *("msmarco", "trec-covid", "nfcorpus", "nq", "hotpotqa", "fiqa", "arguana", "webis-touche2020"),
    *("cqadupstack", "quora", "dbpedia-entity", "scidocs", "fever", "climate-fever", "scifact"),
)
MOST_BYTES = 8 * 1024**3  # of an archive, and of what is in it
TIMEOUT_S = 60.0
_PARTS = re.compile(r"(?:[\w.-]+/)?(?P<part>(?:corpus|queries)\.jsonl|qrels/[\w-]+\.tsv)")
_BLOCK = 1024**2


@dataclass(frozen=True)
class Fetched:
    """What came.

    Attributes:
        noted: The hash was noted at this very fetch: nobody has said before what it must be.
        parts: The files that the folder has.
    """

    folder: Path
    sha256: str
    noted: bool
    parts: tuple[str, ...]


def fetch_beir(
    name: str,
    folder: Path,
    *,
    file: Path | None = None,
    sha256: str = "",
    say: Callable[[str], None] = lambda _line: None,
) -> Fetched:
    """Put a data set into a folder, which appears when it is whole.

    Args:
        file: The archive, where it is here already.
        sha256: What it must be; "": what was noted when it was fetched first.

    Raises:
        UsageError: there is no such data set, or the folder is there already.
        DatasetError: the archive is another than it must be, or none of BEIR.
        ProviderError: it cannot be downloaded.
    """
    if file is None and name not in NAMES:
        raise UsageError(
            f"no data set {name!r} of BEIR is known{nearest(name, NAMES)}",
            remedy=f"one of {', '.join(NAMES)}; or --file ARCHIVE.zip",
        )
    if folder.exists():
        raise UsageError(f"{folder} is there already", remedy="remove it to fetch it anew")
    note = folder.with_name(f"{folder.name}.sha256")
    wanted = sha256.lower() or _noted(note)
    with _archive(name, file, say) as (archive, found):
        if wanted and found != wanted:
            raise DatasetError(
                f"{file or ADDRESS.format(name=name)}: its sha256 is {found}, and must be {wanted}",
                remedy="the archive has changed, or is another; give its new hash with --sha256",
            )
        parts = _unpack(archive, folder, str(file or name))
    note.write_text(f"{found}  {name}.zip\n", encoding="utf-8")
    return Fetched(folder, found, not wanted, parts)


def _noted(note: Path) -> str:
    """Return the hash that was noted, "" where none was."""
    words = read_text(note, error=DatasetError).split() if note.is_file() else []
    return words[0] if words else ""


@contextmanager
def _archive(
    name: str, file: Path | None, say: Callable[[str], None]
) -> Iterator[tuple[BinaryIO, str]]:
    """Yield an archive, with its hash."""
    if file is not None:
        with open_regular(file, error=UsageError, max_bytes=MOST_BYTES) as archive:
            yield archive, _hash(archive)
        return
    address = ADDRESS.format(name=name)
    say(f"downloading {address}")
    with tempfile.TemporaryFile() as archive:
        try:
            with urlopen(address, timeout=TIMEOUT_S) as reply:  # noqa: S310 - the address is ours
                _copy(reply, archive, address)
        except (URLError, OSError) as error:
            raise ProviderError(
                f"{address} cannot be downloaded: {getattr(error, 'reason', error)}",
                remedy="download it elsewhere, and give it with --file ARCHIVE.zip",
            ) from error
        yield archive, _hash(archive)


def _copy(source: BinaryIO, target: BinaryIO, where: str) -> None:
    """Copy what fits under `MOST_BYTES`.

    Raises:
        DatasetError: it is more.
    """
    left = MOST_BYTES
    while block := source.read(_BLOCK):
        left -= len(block)
        if left < 0:
            raise DatasetError(f"{where}: more than {MOST_BYTES:,} bytes: refused")
        target.write(block)


def _hash(archive: BinaryIO) -> str:
    archive.seek(0)
    digest = hashlib.sha256()
    while block := archive.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _unpack(archive: BinaryIO, folder: Path, where: str) -> tuple[str, ...]:
    """Write the files of BEIR that an archive holds, and no other."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        parts = _written(archive, place, where)
        place.chmod(0o755)
        place.rename(folder)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return parts


def _written(archive: BinaryIO, place: Path, where: str) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(archive) as members:
            found = {
                match["part"]: each
                for each in members.infolist()
                if (match := _PARTS.fullmatch(each.filename))
            }
            if not {"corpus.jsonl", "queries.jsonl"} <= found.keys() or len(found) < 3:
                raise DatasetError(
                    f"{where}: no archive of BEIR",
                    remedy="it holds corpus.jsonl, queries.jsonl and qrels/*.tsv",
                )
            (place / "qrels").mkdir()
            for part, member in found.items():
                with members.open(member) as source, (place / part).open("wb") as target:
                    _copy(source, target, f"{where}: {member.filename}")  # type: ignore[arg-type]
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DatasetError(
            f"{where}: not a whole archive: {error}", remedy="fetch it again"
        ) from error
    return tuple(sorted(found))
