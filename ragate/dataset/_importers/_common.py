"""What the importers have in common: the record they make, and how files of records are read."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.dataset._rows import WHOLE_BYTES
from ragate.dataset._values import MAX_TURNS
from ragate.errors import DatasetError
from ragate.models import MetadataValue, Turn
from ragate.support import records as files
from ragate.support.records import Record
from ragate.support.settings import shown
from ragate.version import MANUAL

# What people call a right answer beside the name that a tool gives it.
EXPECTED_NAMES = ("expected_answer", "expected")
_MOST_OF_ANSWER = 2000  # characters: enough to judge by, and a golden set stays readable
_MOST_DOCUMENTS = 20
_HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # escaped, where a list could not be read


@dataclass(frozen=True)
class Imported:
    """A question as another tool knows it.

    Attributes:
        relevant: Grade by document id, where the tool names documents.
        contexts: Passages that hold the answer, of documents that are not named.
        sources: Names of files that may be documents.
        answerable: None where the tool does not say.
        messages: Turns of the conversation before the question.
        draft: Somebody asked it, and nobody has labelled it.
        tools, expected_calls: As the golden set reads them; None where no call is judged.
    """

    place: str
    query: str
    id: str = ""
    relevant: Mapping[str, int] = field(default_factory=dict)
    contexts: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    answerable: bool | None = None
    metadata: dict[str, MetadataValue] = field(default_factory=dict)
    messages: tuple[Turn, ...] = ()
    draft: bool = False
    tools: Sequence[Any] = ()
    expected_calls: Sequence[Any] | None = None


class Notes(Counter[str]):
    """What could not be taken as it is: one sentence each, and how often."""

    def add(self, sentence: str) -> None:
        self[sentence] += 1

    def leave_out(self, recorded: Iterable[str]) -> None:
        """Note what a system said, which is no part of a golden set."""
        for name in sorted(recorded):
            self.add(f"left out: {name}, a recorded output ({MANUAL}/replay.md)")


def records(path: Path) -> Iterator[Record]:
    """Yield the objects of a .jsonl, .json or .csv file.

    Raises:
        DatasetError: names the line or the number of the record.
    """
    return files.records(path, error=DatasetError, max_bytes=WHOLE_BYTES)


def json_value(path: Path) -> Any:
    """Return the value of a JSON file."""
    return files.json_value(path, error=DatasetError, max_bytes=WHOLE_BYTES)


def text_of(where: str, name: str, value: Any) -> str:
    """Return a text that is not blank, "" where there is none.

    Raises:
        DatasetError: it is something else.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DatasetError(f"{where}: {name} = {shown(value)}: must be text")
    try:
        str(value).encode()
    except UnicodeEncodeError as error:
        # A cell may spell a list as Python does, escapes included.
        half = error.object[error.start]
        raise DatasetError(f"{where}: {name}: {half!r} is half of a character") from error
    return str(value)


def texts_of(where: str, name: str, value: Any, *, separator: str = "") -> tuple[str, ...]:
    """Return a list of texts, blank ones left out.

    Args:
        separator: Divides the texts where they stand in one cell; "" for a list as Python or JSON
            write it.
    """
    if isinstance(value, str) and separator:
        value = value.split(separator)
    elif isinstance(value, str):
        value = files.parsed_cell(value)
        if isinstance(value, str) and value.lstrip()[:1] == "[" and (half := _HALF.search(value)):
            raise DatasetError(f"{where}: {name}: {half[0]!r} is half of a character")
    if value is None:
        return ()
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(text for item in items if (text := text_of(where, name, item)))


def scalar(value: Any) -> MetadataValue:
    """Return a value as metadata holds it: what is no plain value becomes JSON text."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def untaken(row: Mapping[str, Any], taken: frozenset[str]) -> dict[str, MetadataValue]:
    """Return what is not taken otherwise, as metadata; empty values are left out."""
    return {
        str(name): scalar(value)
        for name, value in row.items()
        if name not in taken and value not in (None, "", [], {})
    }


def said_that_day(answer: str | None, doc_ids: Iterable[str]) -> dict[str, MetadataValue]:
    """Return what a system answered and retrieved, as metadata for whoever labels its question."""
    told = {
        "recorded_answer": (answer or "")[:_MOST_OF_ANSWER],
        "retrieved": "; ".join(list(dict.fromkeys(doc_ids))[:_MOST_DOCUMENTS]),
    }
    return {name: text for name, text in told.items() if text}


# What tools call the three roles of a conversation; other roles are tools and their results.
_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
}


def question_of(where: str, name: str, messages: Any, notes: Notes) -> tuple[str, tuple[Turn, ...]]:
    """Return the last thing that the user said, and the turns before it.

    What stands behind it is a recorded output; turns of tools are left out, and noted.

    Args:
        name: Of the field that holds the messages: objects with ``role`` or ``type``, and
            ``content``.

    Returns:
        A question "" where the user said nothing.

    Raises:
        DatasetError: it is no list of messages.
    """
    turns = turns_of(where, name, messages, notes)
    asked = [place for place, turn in enumerate(turns) if turn.role == "user"]
    if not asked:
        return "", ()
    last = asked[-1]
    if len(turns) > last + 1:
        notes.leave_out(["the answer to the last question"])
    return turns[last].content, turns[:last]


def turns_of(where: str, name: str, messages: Any, notes: Notes) -> tuple[Turn, ...]:
    """Return the turns of a conversation; those of tools are left out, and noted.

    Raises:
        DatasetError: it is no list of messages, or a longer one than a sample may hold.
    """
    if not isinstance(messages, list) or not all(isinstance(one, Mapping) for one in messages):
        raise DatasetError(f"{where}: {name} = {shown(messages)}: must be a list of messages")
    if len(messages) > MAX_TURNS:
        raise DatasetError(
            f"{where}: {name} has {len(messages)} messages, and the limit is {MAX_TURNS}"
        )
    turns = (_turn(where, name, message, notes) for message in messages)
    return tuple(turn for turn in turns if turn is not None)


def _turn(where: str, name: str, message: Mapping[str, Any], notes: Notes) -> Turn | None:
    called = message.get("role", message.get("type"))
    role = _ROLES.get(str(called).lower())
    if role is None:
        notes.add(f"left out: turns of the role {shown(called)}")
        return None
    content = message.get("content")
    if isinstance(content, list):  # parts, of which only the texts can be told
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = "".join(part for part in parts if isinstance(part, str))
    text = text_of(where, name, content)
    return Turn.model_validate({"role": role, "content": text}) if text else None
