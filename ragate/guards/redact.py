"""Cuts keys (secrets) out of text, in every form in which a server or a library may repeat them.

It is done where text of others comes in (`clients/channel.py`, `systems/http/policy.py`,
`systems/_process.py`, a judge of foreign code) and again where a report or a log leaves
the action (`github/publish/`, `github/gate/finalise.py`). Settings that are free text enter no
report at all: `readable_settings` in `gate/gate_report.py`.
"""

import base64
import json
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MASK = "***"
_SHORTEST = 4  # a shorter "key" guards nothing, and cutting it out would garble every text


class Redactor:
    """Replaces keys by `MASK`: as they are, in base64, percent-encoded and escaped as in JSON."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        forms = {form for key in keys if len(key) >= _SHORTEST for form in _forms(key)}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))

    def __call__(self, text: str) -> str:
        for form in self._forms:
            if form in text:
                text = text.replace(form, MASK)
        return text

    def cut(self, content: bytes) -> bytes:
        """Return bytes without the keys; what is no UTF-8 in them stays."""
        if not self._forms:
            return content
        return self(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        return f"Redactor({len(self._forms)} forms)"


def _forms(key: str) -> set[str]:
    escaped = json.dumps(key)[1:-1]
    forms = {
        key,
        quote(key, safe=""),
        quote(key, safe="").lower(),
        quote(key),
        quote_plus(key),
        escaped,
        json.dumps(key, ensure_ascii=False)[1:-1],
        escaped.replace("/", "\\/"),
        json.dumps(escaped)[1:-1],
        repr(key)[1:-1],
        key.encode().hex(),
    }
    return forms | set(_base64_forms(key.encode()))


def _base64_forms(key: bytes) -> Iterable[str]:
    """Yield what base64 makes of the key wherever it begins in a longer text.

    Base64 turns three bytes into four characters, so there are three alignments; the characters at
    either end depend on the neighbours and are left off.
    """
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(key).decode()
        yield encode(key).decode().rstrip("=")
        for before in range(3):
            text = encode(b"\0" * before + key).decode()
            first = -(-before * 4 // 3)
            whole = (before + len(key)) * 4 // 3
            if whole - first >= 2 * _SHORTEST:
                yield text[first:whole]
