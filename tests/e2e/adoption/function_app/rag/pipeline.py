"""Answers questions about a bicycle workshop from its handbook."""

import re
from pathlib import Path

from rag.documents import Document, load

HANDBOOK = Path(__file__).parent.parent / "handbook"
DOCUMENTS = load(HANDBOOK)


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def retrieve(question: str, k: int = 3) -> list[Document]:
    wanted = words(question)
    return sorted(DOCUMENTS, key=lambda page: -len(wanted & words(page.page_content)))[:k]


def answer_question(question: str):
    documents = retrieve(question)
    lines = [line for line in documents[0].page_content.splitlines() if line[:1] not in {"", "#"}]
    return {
        "result": lines[0],
        "documents": [
            {"content": page.page_content, "file": page.metadata["source"]} for page in documents
        ],
    }


if __name__ == "__main__":
    print(answer_question(input("? "))["result"])
