"""Events of one run, encoded."""

import time
from collections.abc import Callable, Mapping

from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import SEVERITY_NUMBER_INFO, LogRecord

from ragate.support.spans import Fact
from ragate.telemetry.live_spans import SpanPlace
from ragate.telemetry.messages import AttributeParts, Envelope


class SentEvents:
    """Encodes events and hands them on.

    Args:
        put: Takes an event as a part of a request.
    """

    def __init__(self, put: Callable[[bytes], object], envelope: Envelope) -> None:
        self._put = put
        self._envelope = envelope
        self._parts = AttributeParts(LogRecord)
        self._titles: dict[str, bytes] = {}

    def about(self, place: SpanPlace | None, attributes: Mapping[str, Fact]) -> bytes:
        """Return what events of now about one thing have in common, for `emit`."""
        now = time.time_ns()
        common = LogRecord(time_unix_nano=now, observed_time_unix_nano=now)
        if place is not None:
            common.trace_id, common.span_id = place.trace, place.span
            common.flags = int(place.sampled)
        encoded: bytes = common.SerializeToString()
        return encoded + self._parts.of(attributes)

    def emit(self, name: str, common: bytes, attributes: Mapping[str, Fact]) -> None:
        """Send an event.

        Args:
            common: As `about` returned it.
        """
        title = self._titles.get(name) or self._titled(name)
        self._put(self._envelope.item((title, common, self._parts.of(attributes))))

    def _titled(self, name: str) -> bytes:
        record = LogRecord(event_name=name, severity_number=SEVERITY_NUMBER_INFO, body=AnyValue())
        self._titles[name] = record.SerializeToString()
        return self._titles[name]
