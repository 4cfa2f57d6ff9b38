"""Which protocol carries a signal, and what becomes of its batches."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from ragate.errors import ConfigError

SIGNALS = ("traces", "logs", "metrics")
HTTP, GRPC = "http/protobuf", "grpc"
PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
ENDPOINT, HEADERS, TIMEOUT, CERTIFICATE = (
    f"OTEL_EXPORTER_OTLP_{name}" for name in ("ENDPOINT", "HEADERS", "TIMEOUT", "CERTIFICATE")
)
SLOW = "it did not take everything in time", TIMEOUT
_UNENCODED = "a batch could not be encoded", "the names that plugins give to own_span"
Reason = tuple[str, str]
"""Why something was not sent, and the variable to look at."""


def protocol_of(environment: Mapping[str, str], signal: str) -> str:
    """Return how a signal is sent, `HTTP` or `GRPC`: by its own variable, else by that of all.

    Raises:
        ConfigError: as neither.
    """
    own = f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL"
    name = own if environment.get(own) else PROTOCOL
    protocol = environment.get(name) or HTTP
    if protocol not in {HTTP, GRPC}:
        raise ConfigError(
            f"{name} = {protocol!r}: ragate sends OTLP as {HTTP} or {GRPC}",
            remedy=f"leave it out, or set it to {HTTP} or {GRPC}, and name the collector's port "
            "for that in OTEL_EXPORTER_OTLP_ENDPOINT: 4318 or 4317",
        )
    return protocol


class Delivery:
    """What an exporter delivered, and why it could not deliver the rest.

    Attributes:
        lost: Why a batch was given up; None where all were taken.
        taken: How many items the collector took.
        until: By `time.monotonic`, when nothing is sent any more.
        reason: Why the last request failed; None where it did not.
    """

    def __init__(self) -> None:
        self.lost: Reason | None = None
        self.taken = 0
        self.until = math.inf
        self.reason: Reason | None = None

    def left(self) -> float:
        """Return the seconds that are left for a request, 0 where nothing is sent any more."""
        left = 0.0 if self.lost else self.until - time.monotonic()
        if left <= 0:
            self.reason = SLOW
        return max(0.0, left)

    def give_up(self) -> None:
        """Hear that the exporter gave a batch up after its retries; nothing more is sent."""
        self.lost = self.lost or self.reason or _UNENCODED
