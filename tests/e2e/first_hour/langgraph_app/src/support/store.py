"""A vector store: counts of words as vectors, the cosine between them."""

import json
import math
import re
from collections import Counter
from pathlib import Path

from langchain_core.documents import Document

DATA = Path(__file__).resolve().parents[2] / "data" / "articles.json"


def embed(text: str) -> Counter:
    return Counter(re.findall(r"\w{4,}", text.lower()))


def cosine(left: Counter, right: Counter) -> float:
    dot = sum(left[word] * right[word] for word in left)
    return dot / (
        math.sqrt(sum(v * v for v in left.values()) * sum(v * v for v in right.values())) or 1
    )


class VectorStore:
    def __init__(self) -> None:
        rows = json.loads(DATA.read_text())
        self.documents = [
            Document(
                page_content=row["body"],
                metadata={"article_id": row["article_id"], "title": row["title"]},
            )
            for row in rows
        ]
        self.vectors = [embed(f"{d.metadata['title']} {d.page_content}") for d in self.documents]

    def similarity_search(self, query: str, k: int = 4) -> list[Document]:
        asked = embed(query)
        order = sorted(range(len(self.vectors)), key=lambda i: -cosine(asked, self.vectors[i]))
        return [self.documents[i] for i in order[:k]]
