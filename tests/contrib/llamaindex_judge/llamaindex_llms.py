"""LLMs that a policy could name by dotted path: for chat, for completion, and broken ones."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

SEEN: list[Any] = []


class ChatModel:
    """Has what the judge needs of an LLM of LlamaIndex."""

    def __init__(self, model: str = "one", reply: str = "YES") -> None:
        self.model = model
        self.reply = reply
        self.metadata = SimpleNamespace(is_chat_model=True, model_name=model)

    async def achat(self, messages: Sequence[Any]) -> Any:
        SEEN.append([(message.role.value, message.content) for message in messages])
        return SimpleNamespace(message=SimpleNamespace(content=self.reply))


class CompletionModel:
    metadata = SimpleNamespace(is_chat_model=False, model_name="two")

    async def acomplete(self, prompt: str, *, formatted: bool = False) -> Any:
        SEEN.append((prompt, formatted))
        return SimpleNamespace(text="5\nfine" if formatted else "NO")

    def messages_to_prompt(self, messages: Sequence[Any]) -> str:
        return "\n".join(f"{message.role.value}: {message.content}" for message in messages)


class RefusedError(Exception):
    status_code = 401


class Broken:
    metadata = SimpleNamespace(is_chat_model=True, model_name="three")

    def __init__(self, *, refused: bool = False) -> None:
        self._refused = refused

    async def achat(self, _messages: Sequence[Any]) -> Any:
        text = "the key canary-key-1234 is wrong"
        raise RefusedError(text) if self._refused else OSError(text)


def keyless() -> ChatModel:
    raise ValueError("no key: canary-key-1234")


chat_model = ChatModel("an object")
not_an_llm = 7
