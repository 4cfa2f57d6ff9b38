"""Pages as documents, in the way of LangChain's loaders."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Document:
    page_content: str
    metadata: dict[str, str] = field(default_factory=dict)


def load(folder: Path) -> list[Document]:
    pages = sorted(folder.glob("*.md"))
    return [Document(page.read_text(), {"source": page.name}) for page in pages]
