"""A reply that comes in events: server-sent events, JSON lines or plain text, read as they come."""

import codecs
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ragate.support.pointer import PointerError, one
from ragate.systems._output import OutputError

MAX_EVENTS = 100_000
_DONE, _END = "[DONE]", "end"
Format = Literal["sse", "ndjson", "text"]


@dataclass(frozen=True)
class StreamEvent:
    """One event.

    Attributes:
        kind: Its name: of a server-sent event, else the field ``type`` or ``event`` of its JSON.
        text: Its data as they came.
        value: Its data as JSON; None where they are none.
        is_json: Whether they are.
    """

    kind: str
    text: str
    value: Any = None
    is_json: bool = False


@dataclass
class EventStream:
    """Takes the parts of a body as they arrive.

    Args:
        form: How events are told apart.
        ends: What ends the stream before the service closes it: the whole data of an event, its
            kind, or a pointer to what is then true. Without any ``[DONE]`` and the kind ``end``.
        speaks: Whether an event holds a text of the answer: the first that does is timed.
        clean: Cuts secrets out of the bytes of an event.

    Attributes:
        events: Those that came so far.
        ended_by: What ended it, "" where nothing did yet.
        first_at: When the first text of the answer came, by `time.perf_counter`.
    """

    form: Format
    ends: tuple[str, ...]
    speaks: Callable[[StreamEvent], bool]
    clean: Callable[[bytes], bytes]

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start anew: nothing was read."""
        self.events: list[StreamEvent] = []
        self.ended_by = ""
        self.first_at: float | None = None
        self._rest = bytearray()
        self._seen = 0
        self._name = ""
        self._data: list[bytes] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, part: bytes) -> bool:
        """Take the next part; return True where the stream is over.

        Raises:
            OutputError: there are too many events.
        """
        if self.form == "text":
            self._add("", self.clean(self._decoder.decode(part).encode()))
            return False
        return any(self._line(line) for line in self._lines(part))

    def close(self) -> None:
        """Take what stands behind the last line end: some services leave it out."""
        if self.ended_by:
            return
        if self.form == "text":
            self._add("", self._decoder.decode(b"", final=True).encode())
            return
        rest, self._rest = bytes(self._rest), bytearray()
        if rest:
            self._line(rest.rstrip(b"\r"))
        if not self.ended_by:
            self._dispatch()

    def _lines(self, part: bytes) -> Iterator[bytes]:
        self._rest += part
        while (end := self._rest.find(b"\n", self._seen)) >= 0:
            line = bytes(self._rest[:end]).rstrip(b"\r")
            del self._rest[: end + 1]
            self._seen = 0
            yield line
        self._seen = len(self._rest)

    def _line(self, line: bytes) -> bool:
        if self.form == "ndjson":
            return self._add("", line) if line.strip() else False
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode("utf-8", "replace")
        return False

    def _dispatch(self) -> bool:
        """Close an event at the empty line behind it; without data its name is all."""
        name, data = self._name, self._data
        self._name, self._data = "", []
        if data or name:
            return self._add(name, b"\n".join(data))
        return False

    def _add(self, name: str, data: bytes) -> bool:
        text = self.clean(data).decode("utf-8", "replace")
        if not (text or name):
            return False
        if len(self.events) == MAX_EVENTS:
            raise OutputError(f"the service streamed more than {MAX_EVENTS:,} events")
        event = self._read(name, text)
        self.ended_by = self._end_in(event)
        if self.ended_by and self.ended_by == text.strip():  # a mark, and nothing of the answer
            return True
        self.events.append(event)
        if self.first_at is None and self.speaks(event):
            self.first_at = time.perf_counter()
        return bool(self.ended_by)

    def _read(self, name: str, text: str) -> StreamEvent:
        if self.form == "text":
            return StreamEvent(name, text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return StreamEvent(name, text)
        if not name and isinstance(value, dict):
            kinds = (value.get(key) for key in ("type", "event"))
            name = next((kind for kind in kinds if isinstance(kind, str)), "")
        return StreamEvent(name, text, value, is_json=True)

    def _end_in(self, event: StreamEvent) -> str:
        if not self.ends:
            marked = event.text.strip() == _DONE
            return _DONE if marked else _END if event.kind == _END else ""
        for end in self.ends:
            if end in (event.kind, event.text.strip()):
                return end
            if end.startswith("/") and event.is_json and _is_true(event.value, end):
                return end
        return ""


def _is_true(value: Any, pointer: str) -> bool:
    try:
        return one(value, pointer) is True
    except PointerError:
        return False
