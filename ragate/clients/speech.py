"""How a server is spoken to: where a chat goes, what is sent, and what its reply says.

Ours is the protocol of OpenAI; an extension brings others (`Extension.protocols`). What is asked
(`ChatRequest`) has the words of OpenAI's parameters, and another protocol says them in its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragate.clients.http.transport import bearer
from ragate.clients.openai_payloads import chat_body, read_chat
from ragate.protocols import ChatReply, ChatRequest


@dataclass(frozen=True)
class Speech:
    """One protocol.

    Attributes:
        path: Below `base_url`.
        body: From a request to what is sent.
        read: From the bytes of a reply to what it says. Raises MalformedError.
        headers: What is sent beside, with the key, which is "" for a server without keys.
        name: What traces call it, whoever serves it.
    """

    path: str
    body: Callable[[ChatRequest], dict[str, Any]]
    read: Callable[[bytes], ChatReply]
    headers: Callable[[str], Mapping[str, str]] = bearer
    name: str = "openai"


OPENAI = Speech("/chat/completions", chat_body, read_chat)
