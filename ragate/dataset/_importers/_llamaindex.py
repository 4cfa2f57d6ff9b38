"""LlamaIndex: LabelledRagDataset and EmbeddingQAFinetuneDataset, as .json."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.dataset._importers._common import (
    Imported,
    Notes,
    json_value,
    text_of,
    texts_of,
    untaken,
)
from ragate.errors import DatasetError
from ragate.support.settings import shown

_TAKEN = frozenset(
    {"query", "reference_contexts", "reference_answer", "query_by", "reference_answer_by"}
)


def read(path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield the questions of either kind of data set."""
    value = json_value(path)
    if isinstance(value, Mapping) and isinstance(value.get("examples"), list):
        yield from _labelled(path, value["examples"])
    elif isinstance(value, Mapping) and {"queries", "corpus", "relevant_docs"} <= value.keys():
        notes.add("expected documents are node ids; with --corpus they are placed by their text")
        yield from _pairs(path, value)
    else:
        raise DatasetError(
            f"{path}: neither a LabelledRagDataset (examples) nor an EmbeddingQAFinetuneDataset "
            "(queries, corpus, relevant_docs)",
            remedy="write it with the data set's own save_json",
        )


def _labelled(path: Path, examples: list[Any]) -> Iterator[Imported]:
    for number, row in enumerate(examples, start=1):
        where = f"{path}: example {number}"
        if not isinstance(row, Mapping):
            raise DatasetError(f"{where}: {shown(row)}: must be an object")
        query = text_of(where, "query", row.get("query"))
        if not query:
            raise DatasetError(f"{where}: there is no query")
        reference = text_of(where, "reference_answer", row.get("reference_answer"))
        authors = {name: _author(row.get(name)) for name in ("query_by", "reference_answer_by")}
        yield Imported(
            place=where,
            query=query,
            contexts=texts_of(where, "reference_contexts", row.get("reference_contexts")),
            references=(reference,) if reference else (),
            metadata={
                **untaken(row, _TAKEN),
                **{name: author for name, author in authors.items() if author},
            },
        )


def _author(value: Any) -> str:
    """Return who wrote it: ``human``, or ``ai`` and the model."""
    if not isinstance(value, Mapping):
        return ""
    return " ".join(str(value[key]) for key in ("type", "model_name") if value.get(key))


def _pairs(path: Path, value: Mapping[str, Any]) -> Iterator[Imported]:
    queries, corpus, relevant = value["queries"], value["corpus"], value["relevant_docs"]
    if not all(isinstance(table, Mapping) for table in (queries, corpus, relevant)):
        raise DatasetError(f"{path}: queries, corpus and relevant_docs must be objects")
    for name, text in queries.items():
        where = f"{path}: query {name}"
        query = text_of(where, "text", text)
        if not query:
            raise DatasetError(f"{where}: is blank")
        nodes = texts_of(where, "relevant_docs", relevant.get(name))
        if unknown := [node for node in nodes if node not in corpus]:
            raise DatasetError(f"{where}: {shown(unknown[0])} is not in corpus")
        yield Imported(
            place=where,
            query=query,
            id=name,
            relevant=dict.fromkeys(nodes, 1),
            contexts=tuple(text_of(where, "corpus", corpus[node]) for node in nodes),
        )
