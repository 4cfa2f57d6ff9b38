"""A reply that comes in events: told apart as they come, and read as a recorded output."""

from __future__ import annotations

import codecs
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragate.files.pointer import PointerError, many, one, parse
from ragate.guards.escape import one_line
from ragate.outputs.call_list import are_fragments, joined
from ragate.outputs.pointed import Pointers, pointed
from ragate.systems._output import OutputError
from ragate.systems.http.settings import Streaming

MAX_EVENTS = 100_000
_DONE, _END = "[DONE]", "end"
Format = Literal["sse", "ndjson", "text"]
_USUAL = "/choices/0/delta/content"  # of OpenAI, whose form most services have


class StreamReader:
    """Reads events by the pointers of ``[system.pointers]``, each of which looks into every event.

    The answer is joined from its events. Of a list the last event that holds one counts, and a
    single value is one item more: services send their sources in one piece, or one by one.
    """

    def __init__(self, keys: Streaming, pointers: Pointers) -> None:
        self._keys = keys
        self._pointers = pointers

    def speaks(self, event: StreamEvent) -> bool:
        """Return True where an event holds a text of the answer."""
        try:
            return bool((self._text(event, 0) or "").strip())
        except OutputError:
            return False

    def fields(self, events: Sequence[StreamEvent]) -> dict[str, Any]:
        """Return the fields of a recorded output.

        Raises:
            OutputError: an event reports an error or is not of the expected form, or no event
                holds any text of the answer.
        """
        for event in events:
            _check_error(event)
        texts = [self._text(event, number) for number, event in enumerate(events, start=1)]
        said = [text for text in texts if text is not None]
        wanted = self._pointers.answer or self._pointers.empty
        if not said and wanted and not self._calls(events):
            raise OutputError(self._silent(events))
        answer = {"answer": "".join(said)} if said else {}
        if self._pointers.empty:
            return answer
        try:
            return {**self._others(events), **answer}
        except PointerError as error:
            raise OutputError(f"[system.pointers] {error}") from error

    def _calls(self, events: Sequence[StreamEvent]) -> list[Any]:
        """Return the calls of tools, which may stand in place of an answer."""
        pointer = self._pointers.tool_calls
        if not pointer:
            return []
        if pieces := _fragments(events, pointer):
            return joined(pieces)
        return _items(events, pointer, optional=False)

    def _text(self, event: StreamEvent, number: int) -> str | None:
        """Return the text that an event adds to the answer, None where it adds none."""
        if self._keys.answer_events and event.kind not in self._keys.answer_events:
            return None
        if self._keys.format == "text":
            return event.text
        if self._pointers.empty:
            return _plain(event, number) if event.text else None
        if not self._pointers.answer or not event.text:
            return None
        if not event.is_json:
            raise OutputError(f"event {number} is no JSON: {one_line(event.text, 80)}")
        value = _found(event, self._pointers.answer)
        if value is not None and not isinstance(value, str):
            raise OutputError(
                f"[system.pointers] answer: in event {number} {self._pointers.answer} is no text"
            )
        return value

    def _others(self, events: Sequence[StreamEvent]) -> dict[str, Any]:
        """Return everything but the answer."""
        whole: dict[str, Any] = {}
        for name in ("contexts", "ids", "scores", "citations"):
            if pointer := getattr(self._pointers, name):
                whole[name] = _items(events, pointer, optional=name == "scores")
        for name in ("latency", "usage"):
            if pointer := getattr(self._pointers, name):
                values = (_found(event, pointer) for event in reversed(events))
                whole[name] = next((value for value in values if value is not None), None)
        if self._pointers.tool_calls:
            whole["tool_calls"] = self._calls(events)
        read = {name: f"/{name}" for name in whole}
        return pointed(whole, Pointers(**read, id_before=self._pointers.id_before))

    def _silent(self, events: Sequence[StreamEvent]) -> str:
        first = one_line(events[0].text, 120)
        where = "no event holds a text of the answer"
        if self._keys.answer_events:
            kinds = ", ".join(dict.fromkeys(event.kind or "none" for event in events))
            where += f" (answer_events = {list(self._keys.answer_events)}; there are {kinds[:100]})"
        elif self._pointers.answer:
            where = f"[system.pointers] answer: {self._pointers.answer} leads nowhere in any event"
        return f"{where}; the first of {len(events)} is {first}"


def _plain(event: StreamEvent, number: int) -> str:
    """Return the text of an event where no pointer says where it stands."""
    if isinstance(event.value, dict | list):
        raise OutputError(
            f'event {number} is an object: set [system.pointers] answer = "{_USUAL}", or wherever '
            f"its text stands (it is {one_line(event.text, 120)})"
        )
    return event.value if isinstance(event.value, str) else event.text


def _check_error(event: StreamEvent) -> None:
    """Raise what an event reports as an error: OpenAI, LangServe and Vercel send such.

    Raises:
        OutputError: it does.
    """
    reported = event.value.get("error") if isinstance(event.value, dict) else None
    if reported or event.kind == "error":
        raise OutputError(f"the stream reported an error: {one_line(event.text, 300)}")


def _found(event: StreamEvent, pointer: str) -> Any:
    try:
        return one(event.value, pointer)
    except PointerError:
        return None


def _fragments(events: Sequence[StreamEvent], pointer: str) -> list[Any]:
    """Return the pieces of calls in the order in which they came, none where they come whole."""
    lists = (_found(event, pointer) for event in events if "*" not in parse(pointer))
    return [piece for pieces in lists if are_fragments(pieces) for piece in pieces]


def _items(events: Sequence[StreamEvent], pointer: str, *, optional: bool) -> list[Any]:
    """Return the last list that an event holds, followed by the single values behind it.

    Raises:
        PointerError: an item of a list lacks what is wanted of it.
    """
    starred = "*" in parse(pointer)
    items: list[Any] = []
    for event in events:
        try:
            if starred:
                items = many(event.value, pointer, optional=True)
                continue
            value = one(event.value, pointer)
        except PointerError:
            continue  # most events hold a part of the answer and nothing else
        if isinstance(value, list):
            items = list(value)
        elif value is not None:
            items.append(value)
    if None in items and not optional:
        raise PointerError(f"{pointer}: item {items.index(None) + 1} has nothing there")
    return items


# Events told apart: server-sent events, JSON lines or plain text, read as they come.


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
            if end.startswith("/") and event.is_json and _found(event, end) is True:
                return end
        return ""


# Did a stream come, and come to its end?


def check_complete(stream: EventStream, keys: Streaming, kind: str) -> None:
    """Check that a stream came, and came to its end.

    Args:
        kind: The reply's content type.

    Raises:
        OutputError: there was no event, or not the one that ends it.
    """
    if not stream.events:
        raise OutputError(
            f"the service sent no event (content type {kind or 'none'}): does the request ask for "
            f"a stream, and is it one of [system.stream] format = {keys.format!r}?"
        )
    if keys.end and not stream.ended_by:
        raise OutputError(
            f"the stream broke off after {len(stream.events):,} events, without "
            f"{' or '.join(keys.end)} ([system.stream] end)"
        )


def unfinished(stream: EventStream, limit_s: float) -> str:
    """Return what is told of a stream that did not end in time, with the remedy."""
    if not stream.events:
        return f"sent nothing of its stream within {limit_s:.3g} s: see RAGATE_TIMEOUT_S"
    return (
        f"still streams after {limit_s:.3g} s and {len(stream.events):,} events: name what ends "
        "its stream in [system.stream] end, or raise RAGATE_TIMEOUT_S"
    )
