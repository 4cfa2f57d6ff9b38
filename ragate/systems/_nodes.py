"""A node of LlamaIndex as a retrieved chunk."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ragate.core.hashing import UNNAMED, digest
from ragate.errors import ConfigError
from ragate.models import RetrievedChunk
from ragate.support.settings import shown
from ragate.systems._file_ids import file_id
from ragate.systems._output import OutputError

_SCALARS = (str, int, float, bool, type(None))
# Readers give a document such an id where they were told none: another one at every reading.
_RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(_part_\d+)?"
)


@dataclass
class NodeReader:
    """Reads nodes as chunks, and remembers which file each id stands for.

    Attributes:
        root: Paths below it are told relative to it.
        key: Metadata key that names the document; "" finds it by itself.
        folder: Folder below `root` that paths are told relative to; "" is `root`.
    """

    root: Path
    key: str = ""
    folder: str = ""
    _files: dict[str, str] = field(default_factory=dict)

    def chunk(self, scored: Any) -> RetrievedChunk:
        """Return the chunk of a node, with its full text.

        Args:
            scored: A ``NodeWithScore``, or a bare node.

        Raises:
            OutputError: the node has no such metadata, or its file is not below the folder.
            ConfigError: another file had the same id.
        """
        node = getattr(scored, "node", scored)
        metadata = getattr(node, "metadata", None) or {}
        text = node.get_content(metadata_mode="none")
        score = getattr(scored, "score", None)
        doc_id = self._named(metadata) or self._found(node, metadata, text)
        self._refuse_collision(doc_id, str(metadata.get("file_path") or ""))
        return RetrievedChunk(
            doc_id=doc_id,
            text=text,
            score=None if score is None else _finite(float(score)),
            metadata={
                str(name): value for name, value in metadata.items() if isinstance(value, _SCALARS)
            },
        )

    def _named(self, metadata: Mapping[str, Any]) -> str:
        """Return what the key says, "" without one."""
        key = self.key or ("file_path" if self.folder and metadata.get("file_path") else "")
        if not key:
            return ""
        if metadata.get(key) in (None, ""):
            names = ", ".join(map(str, metadata)) or "none"
            raise OutputError(
                f"a source node has no metadata {key!r} ([system] doc_id); it has {names}"
            )
        name = str(metadata[key])
        return file_id(name, self.folder, self.root, where=f"the metadata {key!r} of a source node")

    def _found(self, node: Any, metadata: Mapping[str, Any], text: str) -> str:
        """Return the document's id; one drawn at random yields to the name of a file."""
        parent = str(getattr(node, "ref_doc_id", None) or "")
        name = str(metadata.get("file_name") or "") or self._below(metadata.get("file_path"))
        if parent and not (name and _RANDOM.fullmatch(parent)):
            return self._below(parent)
        return name or str(getattr(node, "node_id", "")) or f"{UNNAMED}{digest(text)}"

    def _below(self, path: object) -> str:
        return file_id(str(path or ""), "", self.root, where="")

    def _refuse_collision(self, doc_id: str, path: str) -> None:
        """Raise where an id that is a file's name stands for two files."""
        if not path or doc_id != PurePosixPath(path.replace("\\", "/")).name:
            return
        other = self._files.setdefault(doc_id, path)
        if other != path:
            pair = ", ".join(shown(self._below(one)) for one in sorted((other, path)))
            raise ConfigError(
                f"two documents have the id {shown(doc_id)}: {pair}",
                remedy='set [system] doc_id = "file_path" and doc_id_relative_to to the folder of '
                "the documents: then ids are paths; write them so under `relevant` too",
            )


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
