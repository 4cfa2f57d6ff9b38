"""The authorities that a server's certificate is held against."""

from __future__ import annotations

import functools
import ssl


@functools.cache
def authorities() -> ssl.SSLContext:
    """Return those of this machine, and not what SSL_CERT_FILE names.

    They are read once, which takes 30 ms; what is returned belongs to all and is not changed.
    """
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)
