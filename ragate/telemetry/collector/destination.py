"""Where a signal is sent and how, as OpenTelemetry's variables say it.

They are read as OpenTelemetry's SDK for Python reads them, down to seconds for the timeout.
"""

import math
import os
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from ragate.version import __version__

SignalName = Literal["traces", "logs", "metrics"]
TIMEOUT_S = 5.0  # of one request with its retries, unless OTEL_EXPORTER_OTLP_TIMEOUT says otherwise
_LOCAL = "http://localhost:4318"
_PREFIX = "OTEL_EXPORTER_OTLP"
_OWN_HEADERS = {
    "content-type": "application/x-protobuf",
    "user-agent": f"ragate/{__version__}",
}
_NAME = r"[ \t]*[!#-'*+\-.0-9A-Z^-z|~]+[ \t]*"
_ENCODED = re.compile(_NAME + r"=[ \t]*[!#-+\--:<-\[\]-~]*[ \t]*")
_PLAIN = re.compile(_NAME + r"=[ \t]*[ !#-+\--:<-\[\]-~]*[ \t]*")


@dataclass(frozen=True)
class Destination:
    """Where one signal is sent, and how.

    Attributes:
        headers: By names in small letters; may hold a key.
        compression: ``gzip``, ``deflate``, or ``none``.
        certificate: File or folder of the authorities that are trusted, "" for the usual ones.
        client_certificate: File of this client's own certificate, "" for none.
        client_key: File of its key, where that is not in the same file.
    """

    url: str
    headers: dict[str, str] = field(repr=False)
    timeout_s: float
    compression: str
    certificate: str = ""
    client_certificate: str = ""
    client_key: str = ""


def destination(signal: SignalName) -> Destination:
    """Return what the process's ``OTEL_EXPORTER_OTLP_*`` say; a signal's own variables win."""
    base = os.environ.get(f"{_PREFIX}_ENDPOINT") or _LOCAL
    own = os.environ.get(f"{_PREFIX}_{signal.upper()}_ENDPOINT")
    return Destination(
        url=own or f"{base.removesuffix('/')}/v1/{signal}",
        headers=_OWN_HEADERS | _headers(_said(signal, "HEADERS")),
        timeout_s=_seconds(_said(signal, "TIMEOUT")),
        compression=_compression(_said(signal, "COMPRESSION")),
        certificate=_said(signal, "CERTIFICATE"),
        client_certificate=_said(signal, "CLIENT_CERTIFICATE"),
        client_key=_said(signal, "CLIENT_KEY"),
    )


def _said(signal: SignalName, what: str) -> str:
    own = os.environ.get(f"{_PREFIX}_{signal.upper()}_{what}")
    return own or os.environ.get(f"{_PREFIX}_{what}", "")


def _headers(text: str) -> dict[str, str]:
    """Return ``name=value,name=value``, the values URL-encoded or, with a space in them, not."""
    found = {}
    for pair in re.split(r"[ \t]*,[ \t]*", text):
        name, _, value = pair.strip().partition("=")
        if _ENCODED.fullmatch(pair.strip()):
            found[unquote(name).strip().lower()] = unquote(value).strip()
        elif _PLAIN.fullmatch(pair.strip()):
            found[name.strip().lower()] = value.strip()
    return found


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        return TIMEOUT_S
    return seconds if math.isfinite(seconds) and seconds > 0 else TIMEOUT_S


def _compression(text: str) -> str:
    word = text.strip().lower()
    return word if word in {"gzip", "deflate"} else "none"
