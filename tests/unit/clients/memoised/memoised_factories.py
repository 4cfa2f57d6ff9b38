"""Clients and caches for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.protocols import ChatReply


def texts(replies: Sequence[ChatReply]) -> list[str]:
    return [reply.text for reply in replies]
