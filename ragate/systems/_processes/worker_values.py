"""What a worker sent, as what its code returned: the other half of `ragate.worker.values`.

Where the value was an object, there is one that tells the same of itself, so that the code behind
reads it, and says what is wrong with it, as in ragate's own process.
"""

from typing import Any

from ragate.models import SystemOutput


class ForeignObject:
    """Anything that is no JSON; a class of its own name is made for each."""

    def __init__(self, text: str, shown: str) -> None:
        self._text = text
        self._shown = shown

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._shown


class ForeignMessage:
    """A message of LangChain."""

    def __init__(self, content: str) -> None:
        self.content = content


class ForeignDocument:
    """A document of LangChain."""

    def __init__(self, page_content: Any, metadata: dict[str, Any]) -> None:
        self.page_content = page_content
        self.metadata = metadata


class ForeignNode:
    """A node of LlamaIndex, with its score."""

    def __init__(
        self, text: str, metadata: dict[str, Any], score: Any, ref_doc_id: Any, node_id: Any
    ) -> None:
        self.metadata = metadata
        self.score = score
        self.ref_doc_id = ref_doc_id
        self.node_id = node_id
        self._text = text

    def get_content(self, **_: Any) -> str:
        """Return the text without metadata, whatever mode is asked for."""
        return self._text


def decoded(value: Any) -> Any:
    """Return what `ragate.worker.values.encoded` was given.

    Raises:
        ValueError: it is nothing that it gives.
    """
    try:
        return _decoded(value)
    except (TypeError, AttributeError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError("no value that a worker sends") from error


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, content),) = value.items()
        if key.startswith("$"):
            return _special(key, content)
    return {key: _decoded(item) for key, item in value.items()}


def _special(key: str, content: Any) -> Any:
    if key == "$float":
        return float(content)
    if key == "$message":
        return ForeignMessage(str(content))
    if key == "$output":
        return SystemOutput.model_validate(_decoded(content))
    if key == "$pairs":
        return {str(name): _decoded(item) for name, item in content}
    if key == "$object":
        name, text, shown = map(str, content)
        return type(name, (ForeignObject,), {})(text, shown)
    fields = {name: _decoded(item) for name, item in content.items()}
    if not isinstance(fields["metadata"], dict):
        raise TypeError("metadata is an object")
    return {"$document": ForeignDocument, "$node": ForeignNode}[key](**fields)
