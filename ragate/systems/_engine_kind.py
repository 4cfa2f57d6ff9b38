"""What kind of LlamaIndex engine a target is."""

from typing import Any, Literal

from ragate.errors import ConfigError
from ragate.models import Sample

Kind = Literal["chat", "query", "retrieve"]
_KINDS: tuple[Kind, ...] = ("chat", "query", "retrieve")


def kind_of(engine: Any, target: str) -> Kind:
    """Return how an engine is asked, read from its methods.

    Raises:
        ConfigError: it has none of them.
    """
    for kind in _KINDS:
        if callable(getattr(engine, kind, None)) or callable(getattr(engine, f"a{kind}", None)):
            return kind
    where = f"[system] target = {target!r}: a {type(engine).__name__}"
    if hasattr(engine, "as_query_engine"):
        raise ConfigError(
            f"{where} is an index, not an engine",
            remedy="give index.as_query_engine(), or a function that returns it",
        )
    raise ConfigError(
        f"{where} has no query, chat or retrieve",
        remedy="name a query engine, a chat engine or a retriever, or a function that makes one",
    )


def chat_history(sample: Sample) -> list[Any]:
    """Return the earlier turns of a sample as a chat engine takes them."""
    from llama_index.core.base.llms.types import ChatMessage

    return [ChatMessage(role=turn.role, content=turn.content) for turn in sample.messages]


def answer_text(response: Any) -> str:
    """Return the text of a response; "" where it has none."""
    text = getattr(response, "response", None)
    if text is None:
        return ""
    return text if isinstance(text, str) else str(response)


# In this order: a query engine can also retrieve.
