"""A retriever and an answer builder that need no model."""

import re
from pathlib import Path

from haystack import Document, component

KNOWLEDGE = Path(__file__).resolve().parent.parent / "knowledge"


def words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.lower()))


def load() -> list[Document]:
    return [
        Document(content=path.read_text(), meta={"file_path": str(path), "page_number": 1})
        for path in sorted(KNOWLEDGE.glob("*.md"))
    ]


@component
class WordRetriever:
    def __init__(self, documents: list[Document]):
        self.documents = documents

    def run(self, query: str, top_k: int = 4):
        asked = words(query)
        scored = [(len(asked & words(doc.content)), doc) for doc in self.documents]
        scored.sort(key=lambda pair: (-pair[0], pair[1].meta["file_path"]))
        found = [Document(d.id, d.content, d.meta, s / 10) for s, d in scored[:top_k]]
        return {"documents": found}


@component
class FirstSentence:
    def run(self, query: str, documents: list[Document]):
        sentences = re.split(r"(?<=\.)\s+", documents[0].content.split("\n\n")[1].strip())
        asked = words(query)
        return {"replies": [max(sentences, key=lambda one: len(asked & words(one)))], "meta": [{}]}
