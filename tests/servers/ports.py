"""Ports for servers that a test's programs start."""

from __future__ import annotations

import secrets
import socket


def free_port() -> int:
    """Return a port that nothing listens on now: a configuration has to name one.

    It is none of those that systems give to whoever asks for any, clients included: one of these
    could be another test's before our program has started.
    """
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)):
                return port
