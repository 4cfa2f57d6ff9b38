"""A document as LangChain has it: a pydantic model."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Document(BaseModel):
    id: str | None = None
    metadata: dict[str, Any] = {}
    page_content: str
    type: str = "Document"
