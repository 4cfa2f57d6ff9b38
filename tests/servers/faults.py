"""What a server does wrong: single faults, faults by share, and a limit on its rate."""

from __future__ import annotations

import json
import math
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

Fault = tuple[int, dict[str, str], str]  # status, headers, body
_JSON = {"content-type": "application/json"}
HTML: Fault = (200, {"content-type": "text/html"}, "<html>Sign in</html>")
BROKEN_JSON: Fault = (200, _JSON, '{"choices": [')
HANG: Fault = (0, {}, "")
RESET: Fault = (-1, {}, "")
TRUNCATED: Fault = (-2, _JSON, '{"choices": [{"index": 0, "message": {"role": "assis')


def status(code: int, *, message: str = "injected", **headers: str) -> Fault:
    """Return a fault with the API's own error body; `retry_after="1"` becomes a header."""
    body = json.dumps({"error": {"message": message, "type": "injected", "code": None}})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return code, {**_JSON, **named}, body


EVERY_KIND: tuple[Fault, ...] = (
    status(429),
    status(429, retry_after="0.2"),
    status(500),
    status(503),
    RESET,
    HANG,
    BROKEN_JSON,
    HTML,
    TRUNCATED,
)


@dataclass
class Chaos:
    """Faults by share: of `share` of the requests, one of `kinds` each; the same for a seed."""

    share: float
    kinds: Sequence[Fault] = EVERY_KIND
    seed: int = 0
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def next(self) -> Fault | None:
        return self.rng.choice(self.kinds) if self.rng.random() < self.share else None


@dataclass
class RateLimit:
    """A bucket of `burst` tokens that fills by `rate` a second; an empty one refuses with 429."""

    rate: float
    burst: float
    tell: bool = True  # say Retry-After
    accepted: int = 0
    rejected: int = 0
    _level: float = field(init=False)
    _since: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._level = self.burst

    def next(self) -> Fault | None:
        with self._lock:
            now = time.monotonic()
            self._level = min(self.burst, self._level + (now - self._since) * self.rate)
            self._since = now
            if self._level >= 1.0:
                self._level -= 1.0
                self.accepted += 1
                return None
            self.rejected += 1
            wait = math.ceil((1.0 - self._level) / self.rate)
            return status(429, retry_after=str(wait)) if self.tell else status(429)
