"""Messages as LangChain has them: pydantic models that are no dicts."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class BaseMessage(BaseModel):
    content: str | list[Any]
    additional_kwargs: dict[str, Any] = {}
    response_metadata: dict[str, Any] = {}
    type: str
    name: str | None = None
    id: str | None = None


class HumanMessage(BaseMessage):
    type: str = "human"


class AIMessage(BaseMessage):
    type: str = "ai"
    tool_calls: list[Any] = []
    usage_metadata: dict[str, int] | None = None
