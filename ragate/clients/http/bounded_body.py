"""Bodies of replies, bounded twice: the bytes that are read, and what they unpack to."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ragate.clients.http.error_mapping import MalformedError

MEGABYTE = 1024**2
CHAT_BYTES = 8 * MEGABYTE
# Vectors: a number is at most 26 characters with its comma and spaces, a row has some names.
_NUMBER_BYTES = 32
_ROW_BYTES = 1024
_MOST_DIMENSIONS = 8192
_MOST_BYTES = 256 * MEGABYTE
ENCODINGS = "gzip, deflate"

# What the reply to the request that is being sent may hold, in bytes.
REPLY_BYTES: ContextVar[int] = ContextVar("ragate_reply_bytes", default=CHAT_BYTES)


class ReplyTooLargeError(MalformedError):
    """A body over its bound."""


def embedding_bytes(texts: int, dimensions: int | None) -> int:
    """Return how large a reply with one vector for each of `texts` may be."""
    row = _ROW_BYTES + _NUMBER_BYTES * (dimensions or _MOST_DIMENSIONS)
    return min(MEGABYTE + texts * row, _MOST_BYTES)


def ranking_bytes(sent: int) -> int:
    """Return how large a reranker's reply may be: some send the texts back, escaped.

    Args:
        sent: The texts' bytes.
    """
    return min(CHAT_BYTES + 6 * sent, _MOST_BYTES)


@contextmanager
def reply_of_at_most(max_bytes: int) -> Iterator[None]:
    """Bound the reply to what is sent inside."""
    token = REPLY_BYTES.set(max_bytes)
    try:
        yield
    finally:
        REPLY_BYTES.reset(token)


class BoundedBody:
    """Unpacks a body part by part; never holds more than the bound and one part.

    Args:
        encoding: The reply's Content-Encoding.

    Raises:
        MalformedError: it is packed otherwise than asked for, which `feed` cannot read.
    """

    def __init__(self, encoding: str, max_bytes: int) -> None:
        packed = encoding.strip().lower()
        if packed not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise MalformedError(f"a body packed as {packed[:40]!r}, which was not asked for")
        self._packed = packed not in {"", "identity"}
        self._unpack = zlib.decompressobj(_EITHER)
        self._max_bytes = max_bytes
        self._read = 0
        self._made = 0

    def feed(self, part: bytes) -> bytes:
        """Return what the next part of the body holds.

        Raises:
            MalformedError: it is damaged, or the body is larger than its bound.
        """
        self._read += len(part)
        self._check(self._read)
        if not self._packed:
            return part
        unpacked = bytearray()
        try:
            while part:
                unpacked += self._unpack.decompress(part, self._max_bytes - self._made + 1)
                self._check(self._made + len(unpacked))
                part = self._unpack.unconsumed_tail
                if self._unpack.eof:  # another member may follow
                    part = self._unpack.unused_data
                    self._unpack = zlib.decompressobj(_EITHER)
        except zlib.error as error:
            raise MalformedError(f"a body that cannot be unpacked: {error}") from error
        self._made += len(unpacked)
        return bytes(unpacked)

    def _check(self, size: int) -> None:
        if size > self._max_bytes:
            limit = self._max_bytes / MEGABYTE
            raise ReplyTooLargeError(f"it is larger than {limit:.3g} MB")


_EITHER = 47  # of zlib: a header of gzip or of its own
