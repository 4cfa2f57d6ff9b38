"""One field of one line of a golden set, changed in place: every other line keeps its bytes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.dataset import WHOLE_BYTES, Entry
from ragate.errors import DatasetError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import decode, read_bytes
from ragate.tables.containers import LINES
from ragate.tables.names import part_of


@dataclass
class GoldenFile:
    """A JSON Lines file that is open for changes; nothing is written before `save`.

    Attributes:
        content: The bytes that were read.
        lines: Each with its line end.
    """

    path: Path
    content: bytes
    lines: list[str]
    added: list[str] = field(default_factory=list)

    def update(self, entry: Entry, name: str, value: Any) -> None:
        """Set a field of a sample, under the spelling that its row has; None removes it."""
        number = _number(entry)
        self.lines[number] = with_field(self.lines[number], name, value)

    def remove(self, entry: Entry) -> None:
        """Take a sample out; its line goes, and no other moves."""
        self.lines[_number(entry)] = ""

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a sample at the end."""
        self.added.append(json.dumps(row, ensure_ascii=False))

    def save(self) -> bool:
        """Write the file if it changed; return whether it did.

        Raises:
            DatasetError: somebody else changed it meanwhile.
            StorageError: it cannot be written; the old file is whole.
        """
        data = self.text().encode()
        if data == self.content:
            return False
        if read_bytes(self.path, error=DatasetError, max_bytes=WHOLE_BYTES) != self.content:
            raise DatasetError(
                f"{self.path}: changed by somebody else meanwhile; nothing was written",
                remedy="run the command again",
            )
        write_atomic(self.path, data)
        return True

    def text(self) -> str:
        """Return the file as it would be written."""
        text = "".join(self.lines)
        end = "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"
        if self.added and text and not text.endswith("\n"):
            text += end
        return text + "".join(f"{line}{end}" for line in self.added)


def _number(entry: Entry) -> int:
    return int(entry.place.rpartition(":")[2]) - 1


def open_golden(path: Path) -> GoldenFile:
    """Return a golden set that can be changed.

    Raises:
        DatasetError: it is not JSON Lines: other formats are read, never written.
    """
    if path.is_dir() or path.suffix.lower() not in LINES:
        raise DatasetError(
            f"{path}: only a golden set in JSON Lines is changed in place",
            remedy=f"`ragate dataset import golden {path} --output golden.jsonl` makes one of it",
        )
    content = read_bytes(path, error=DatasetError, max_bytes=WHOLE_BYTES)
    decode(content, where=str(path), error=DatasetError)
    # Lines end at LF only, as they are read: U+2028 and its like may stand inside a JSON string.
    lines = content.decode().split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return GoldenFile(path, content, [*ended, lines[-1]] if lines[-1] else ended)


def with_field(line: str, name: str, value: Any) -> str:
    """Return the line of one object with a field set, under the spelling that is there.

    Args:
        value: None removes the field.
    """
    start, end = line.index("{"), line.rindex("}") + 1
    row = json.loads(line[start:end])
    spelt = next((key for key in row if name in {key, part_of(key)}), name)
    if row.get(spelt) == value:
        return line
    row[spelt] = value
    if value is None:
        del row[spelt]
    compact = '":' in line and '": ' not in line
    text = json.dumps(
        row, ensure_ascii="\\u" in line, separators=(",", ":") if compact else (", ", ": ")
    )
    return line[:start] + text + line[end:]
