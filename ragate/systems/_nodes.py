"""A node of LlamaIndex as a retrieved chunk."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragate.core.hashing import digest
from ragate.models import RetrievedChunk
from ragate.systems._output import OutputError

_SCALARS = (str, int, float, bool, type(None))
# Readers give a document such an id where they were told none: another one at every reading.
_RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(_part_\d+)?"
)


def chunk_of(scored: Any, *, key: str, root: Path) -> RetrievedChunk:
    """Return the chunk of a node, with its full text.

    Args:
        scored: A ``NodeWithScore``, or a bare node.
        key: Metadata key that names the document; "" finds it by itself.
        root: Paths below it are told relative to it.

    Raises:
        OutputError: the node has no such metadata.
    """
    node = getattr(scored, "node", scored)
    metadata = getattr(node, "metadata", None) or {}
    text = node.get_content(metadata_mode="none")
    score = getattr(scored, "score", None)
    return RetrievedChunk(
        doc_id=_named(metadata, key) if key else _found(node, metadata, text, root),
        text=text,
        score=None if score is None else _finite(float(score)),
        metadata={
            str(name): value for name, value in metadata.items() if isinstance(value, _SCALARS)
        },
    )


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _named(metadata: Mapping[str, Any], key: str) -> str:
    if metadata.get(key) in (None, ""):
        names = ", ".join(map(str, metadata)) or "none"
        raise OutputError(
            f"a source node has no metadata {key!r} ([system] doc_id); it has {names}"
        )
    return str(metadata[key])


def _found(node: Any, metadata: Mapping[str, Any], text: str, root: Path) -> str:
    """Return the document's id; one drawn at random yields to the name of a file."""
    parent = str(getattr(node, "ref_doc_id", None) or "")
    name = str(metadata.get("file_name") or "") or _below(
        str(metadata.get("file_path") or ""), root
    )
    if parent and not (name and _RANDOM.fullmatch(parent)):
        return parent
    return name or str(getattr(node, "node_id", "")) or f"text:{digest(text)}"


def _below(path: str, root: Path) -> str:
    file = Path(path)
    if path and file.is_relative_to(root):
        return file.relative_to(root).as_posix()
    return path
