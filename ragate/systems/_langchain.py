"""What a LangChain runnable returns: a message, or a dict with documents; read by its shape."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragate.systems._file_ids import file_id
from ragate.systems._output import OutputError

_SCALARS = (str, int, float, bool, type(None))


class DocumentName(NamedTuple):
    """How a document is named: by a metadata key, and, where that is a path, relative to a folder.

    Attributes:
        folder: Below `root`; "" leaves what the key says as it is.
    """

    key: str
    root: Path
    folder: str = ""


def plain_reply(value: Any, *, name: DocumentName) -> Any:
    """Return `value` in the fields of a recorded output, where it is LangChain's; else itself.

    A message has its text in ``content``; a retrieval chain returns its documents under
    ``context``; a retriever returns a list of them.
    """
    if isinstance(getattr(value, "content", None), str) and not isinstance(value, Mapping):
        return value.content
    if _are_documents(value):
        return {"chunks": [_chunk(document, name) for document in value]}
    if isinstance(value, Mapping):
        return _fields(value, name)
    return value


def _fields(value: Mapping[str, Any], name: DocumentName) -> dict[str, Any]:
    fields = dict(value)
    for key in ("context", "source_documents", "contexts", "chunks"):
        if _are_documents(fields.get(key)):
            fields["chunks"] = [_chunk(document, name) for document in fields.pop(key)]
    written = getattr(fields.get("answer"), "content", None)
    if isinstance(written, str):
        fields["answer"] = written
    return fields


def _are_documents(value: Any) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return False
    return all(hasattr(doc, "page_content") and hasattr(doc, "metadata") for doc in value)


def _chunk(document: Any, name: DocumentName) -> dict[str, Any]:
    metadata = document.metadata or {}
    if name.key not in metadata:
        names = ", ".join(map(str, metadata)) or "none"
        raise OutputError(
            f"a document has no metadata {name.key!r}; it has {names}"
            ": set [system] doc_id to the key that names the document"
        )
    doc_id = str(metadata[name.key])
    if name.folder:
        where = f"the metadata {name.key!r} of a document"
        doc_id = file_id(doc_id, name.folder, name.root, where=where)
    return {
        "doc_id": doc_id,
        "text": document.page_content,
        "metadata": {k: v for k, v in metadata.items() if isinstance(v, _SCALARS)},
    }
