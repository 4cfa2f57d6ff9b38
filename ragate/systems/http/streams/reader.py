"""From the events of a stream to the fields of a recorded output."""

from collections.abc import Sequence
from typing import Any

from ragate.outputs.call_fragments import are_fragments, joined
from ragate.outputs.pointed import Pointers, pointed
from ragate.support.escape import one_line
from ragate.support.pointer import PointerError, many, one, parse
from ragate.systems._output import OutputError
from ragate.systems.http.streams.events import StreamEvent
from ragate.systems.http.streams.settings import Streaming

# Where well-known services have the text of an event; proposed, never taken unasked.
_USUAL = (
    "/choices/0/delta/content",
    "/message/content",
    "/delta/content",
    "/delta/text",
    "/delta",
    "/content",
    "/answer",
    "/token",
    "/text",
    "/response",
)
_COLUMNS = ("contexts", "ids", "scores")


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
        given = self._pointers
        whole: dict[str, Any] = {}
        read: dict[str, str] = {}
        for name in ("latency", *_COLUMNS, "citations", "tool_calls"):
            pointer = getattr(given, name)
            if not pointer:
                continue
            if name == "latency":
                values = [_found(event, pointer) for event in events]
                whole[name] = next((value for value in reversed(values) if value is not None), None)
            elif name == "tool_calls":
                whole[name] = self._calls(events)
            else:
                whole[name] = _items(events, pointer, optional=name == "scores")
            read[name] = f"/{name}"
        return pointed(whole, Pointers.model_validate(read))

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
    if isinstance(event.value, str):
        return event.value
    if isinstance(event.value, dict | list):
        usual = next((p for p in _USUAL if isinstance(_found(event, p), str)), "/…")
        raise OutputError(
            f'event {number} is an object: set [system.pointers] answer = "{usual}" '
            f"(it is {one_line(event.text, 120)})"
        )
    return event.text


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
