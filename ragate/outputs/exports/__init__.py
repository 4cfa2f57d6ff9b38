"""What other tools export: questions with answers and passages. One module a tool."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.exports import deepeval, langfuse, otel, phoenix, promptfoo, ragas
from ragate.outputs.exports.exchange import Exchange, Passage

__all__ = ["PRESETS", "Exchange", "Passage", "preset_of", "read_export"]

_READERS: dict[str, Callable[[Path], Iterator[Exchange]]] = {
    "ragas": ragas.read,
    "deepeval": deepeval.read,
    "promptfoo": promptfoo.read,
    "langfuse": langfuse.read,
    "phoenix": phoenix.read,
    "otel": otel.read,
}
# Phoenix writes spans that are OpenTelemetry's as well, and knows more of them.
_TELLS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "ragas": ragas.looks_like,
    "deepeval": deepeval.looks_like,
    "promptfoo": promptfoo.looks_like,
    "langfuse": langfuse.looks_like,
    "phoenix": phoenix.looks_like,
    "otel": otel.looks_like,
}
PRESETS = tuple(_READERS)


def read_export(preset: str, path: Path) -> Iterator[Exchange]:
    """Yield the exchanges of a file that another tool wrote.

    Args:
        preset: One of `PRESETS`.

    Raises:
        DatasetError: it cannot be read, or holds no question; names the place.
    """
    count = 0
    for exchange in _READERS[preset](path):
        count += 1
        yield exchange
    if not count:
        raise DatasetError(
            f"{path}: no question with an answer in it",
            remedy=f"export what {preset} knows with inputs and outputs",
        )


def preset_of(row: Mapping[str, Any]) -> str:
    """Return the tool that wrote a record, "" where none is known to write such."""
    return next((name for name, tells in _TELLS.items() if tells(row)), "")
