"""The protocol's messages as bytes, put together from parts that are encoded once.

Encodings of parts of a message, one after the other, are an encoding of the whole: that is a rule
of protobuf. So each attribute is encoded by the protocol's own classes when it is seen first, and
a span or an event is a row of such parts. Only what stands around a part of another message, its
field's number and its length, is written here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans

from ragate.telemetry.names import SCOPE
from ragate.version import __version__

_KEPT = 16_384  # parts; an attribute of a sample is seen some ten times, one of a run always
_MOST_KEPT_CHARS = 256
_KEPT_KINDS = frozenset({str, int, bool})
_LENGTH_DELIMITED = 2


class AttributeParts:
    """Attributes of one kind of message, each as an encoded part of it.

    Args:
        message: What has ``attributes``.
    """

    def __init__(self, message: Callable[..., Any]) -> None:
        self._message = message
        self._known: dict[tuple[str, type, object], bytes] = {}

    def of(self, attributes: Mapping[str, object]) -> bytes:
        """Return these attributes' parts; one that cannot be sent is left out."""
        known = self._known
        parts = []
        for name, value in attributes.items():
            kind = value.__class__
            if kind not in _KEPT_KINDS:  # 0.0 and -0.0 are equal, and a list has no hash
                parts.append(self._encoded(name, value))
                continue
            part = known.get((name, kind, value))
            parts.append(self._learnt(name, value) if part is None else part)
        return b"".join(parts)

    def _learnt(self, name: str, value: object) -> bytes:
        part = self._encoded(name, value)
        if len(part) <= _MOST_KEPT_CHARS:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[name, value.__class__, value] = part
        return part

    def _encoded(self, name: str, value: object) -> bytes:
        try:
            part: bytes = self._message(attributes=[_pair(name, value)]).SerializeToString()
        except Exception:  # noqa: BLE001 - a plugin may name anything
            return b""
        return part


@dataclass(frozen=True)
class Envelope:
    """What stands around spans, or around events: whose they are, and what sends them.

    Attributes:
        resource: The request's part that names the resource, without what it holds.
        scope: The same of the sending library.
    """

    resource: bytes
    scope: bytes
    number_of_scope: int
    number_of_item: int

    def item(self, parts: Iterable[bytes]) -> bytes:
        """Return one span or event as a part of its scope."""
        return _field(self.number_of_item, b"".join(parts))

    def request(self, items: Sequence[bytes]) -> bytes:
        """Return the request that holds these `item`s."""
        held = _field(self.number_of_scope, b"".join((self.scope, *items)))
        return _field(1, self.resource + held)


def spans_envelope(resource: Mapping[str, str]) -> Envelope:
    """Return what stands around spans, where `resource` sends them."""
    return Envelope(
        ResourceSpans(resource=resource_message(resource)).SerializeToString(),
        ScopeSpans(scope=scope_message()).SerializeToString(),
        ResourceSpans.SCOPE_SPANS_FIELD_NUMBER,
        ScopeSpans.SPANS_FIELD_NUMBER,
    )


def events_envelope(resource: Mapping[str, str]) -> Envelope:
    """Return what stands around events, where `resource` sends them."""
    return Envelope(
        ResourceLogs(resource=resource_message(resource)).SerializeToString(),
        ScopeLogs(scope=scope_message()).SerializeToString(),
        ResourceLogs.SCOPE_LOGS_FIELD_NUMBER,
        ScopeLogs.LOG_RECORDS_FIELD_NUMBER,
    )


def resource_message(attributes: Mapping[str, str]) -> Resource:
    """Return which run sends."""
    return Resource(attributes=pairs(attributes))


def scope_message() -> InstrumentationScope:
    """Return which library sends."""
    return InstrumentationScope(name=SCOPE, version=__version__)


def pairs(attributes: Mapping[str, object]) -> list[KeyValue]:
    """Return attributes as the protocol's; one that cannot be sent is left out."""
    made = []
    for name, value in attributes.items():
        try:
            made.append(_pair(name, value))
        except (TypeError, ValueError):
            continue
    return made


def _pair(name: str, value: object) -> KeyValue:
    return KeyValue(key=name, value=_any_value(value))


def _any_value(value: Any) -> AnyValue:
    """Return a value of the protocol.

    Raises:
        TypeError, ValueError: the protocol has none for it.
    """
    match value:
        case None:
            return AnyValue()
        case bool():
            return AnyValue(bool_value=value)
        case str():
            return AnyValue(string_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case Sequence():
            return AnyValue(array_value=ArrayValue(values=[_any_value(each) for each in value]))
        case Mapping():
            held = [_pair(str(name), each) for name, each in value.items()]
            return AnyValue(kvlist_value=KeyValueList(values=held))
    raise TypeError(type(value).__name__)


def _field(number: int, held: bytes) -> bytes:
    """Return a field that holds a message: its number, its length, and the message."""
    length = len(held)
    head = bytearray((number << 3 | _LENGTH_DELIMITED,))
    while length > 0x7F:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    head.append(length)
    return bytes(head) + held
