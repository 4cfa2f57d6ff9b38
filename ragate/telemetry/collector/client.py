"""What talks HTTP to a collector: of its answer nothing but the head is read, whatever it sends."""

import datetime
import gzip
import itertools
import random
import ssl
import time
import zlib
from pathlib import Path

import httpx

from ragate.clients.http.retry import retry_after
from ragate.telemetry.collector.destination import Destination

_RETRIES = 5
_AGAIN = frozenset({429, 502, 503, 504})  # as the protocol has it; 0 is no answer
_NEVER = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)
_JITTER = 0.2  # of a pause
_REFUSED, _SILENT = 400, 0


class CollectorClient:
    """Sends one signal's requests.

    Nothing is opened before the first of them, so that a certificate that cannot be read costs
    that request and no more.
    """

    def __init__(self, where: Destination) -> None:
        self._where = where
        self._http: httpx.Client | None = None

    def post(self, body: bytes, *, until: float) -> bool:
        """Send `body`, again where the protocol says so; return whether it was taken.

        Args:
            until: By `time.monotonic`: when to give up at the latest.

        Raises:
            Exception: it cannot be sent at all, as with a certificate that cannot be read.
        """
        packed = _packed(body, self._where.compression)
        deadline = min(time.monotonic() + self._where.timeout_s, until)
        for retry in itertools.count():
            status, after = self._post_once(packed, deadline)
            if status == _SILENT and retry == 0:  # a connection that was held open, most often
                status, after = self._post_once(packed, deadline)
            if 200 <= status < 300:
                return True
            pause = 2.0**retry * random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - no secret
            pause = pause if after is None else after
            again = status in _AGAIN or status == _SILENT
            if not again or retry == _RETRIES or pause > deadline - time.monotonic():
                return False
            time.sleep(pause)
        raise AssertionError

    def close(self) -> None:
        """Close the connection."""
        if self._http is not None:
            self._http.close()

    def _post_once(self, packed: bytes, deadline: float) -> tuple[int, float | None]:
        """Return the status and the seconds that a repetition shall wait, None for no word."""
        left = deadline - time.monotonic()
        if left <= 0:
            return _REFUSED, None
        self._http = self._http or httpx.Client(
            headers=self._headers(), verify=_tls(self._where), follow_redirects=False
        )
        try:
            with self._http.stream(
                "POST", self._where.url, content=packed, timeout=left
            ) as response:
                if response.headers.get("content-length") == "0":
                    response.read()  # nothing follows, and the connection can be used again
                after = response.headers.get("retry-after")
                return response.status_code, _wait(after)
        except _NEVER:
            return _REFUSED, None
        except httpx.TransportError:
            return _SILENT, None

    def _headers(self) -> dict[bytes, bytes]:
        packed = self._where.compression
        coding = {} if packed == "none" else {"content-encoding": packed}
        return {
            name.encode("latin-1"): value.encode("latin-1")
            for name, value in (coding | self._where.headers).items()
        }


def _wait(after: str | None) -> float | None:
    return retry_after(after, now=datetime.datetime.now(datetime.UTC))


def _packed(body: bytes, compression: str) -> bytes:
    if compression == "gzip":
        return gzip.compress(body)
    return zlib.compress(body) if compression == "deflate" else body


def _tls(where: Destination) -> ssl.SSLContext:
    if not where.url.lower().startswith("https:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # unused; the usual one takes 25 ms to make
    if not where.certificate:
        context = httpx.create_ssl_context()
    elif Path(where.certificate).is_dir():
        context = ssl.create_default_context(capath=where.certificate)
    else:
        context = ssl.create_default_context(cafile=where.certificate)
    if where.client_certificate:
        context.load_cert_chain(where.client_certificate, where.client_key or None)
    return context
