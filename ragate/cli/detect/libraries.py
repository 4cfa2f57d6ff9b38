"""Libraries that a project's requirements name, and the languages it is written in."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

_LIBRARIES = {
    "llama-index": re.compile(r"\bllama[-_]index", re.I),
    "langchain": re.compile(r"\blangchain", re.I),
    "haystack": re.compile(r"\bhaystack-ai\b", re.I),
    "openai": re.compile(r"\bopenai\b", re.I),
    "pgvector": re.compile(r"\bpgvector\b", re.I),
}
_LANGUAGES = {
    ".py": "Python",
    ".js": "JavaScript",
    ".mjs": "JavaScript",
    ".ts": "TypeScript",
    ".go": "Go",
    ".java": "Java",
    ".kt": "Kotlin",
    ".rb": "Ruby",
    ".rs": "Rust",
    ".cs": "C#",
    ".php": "PHP",
    ".ex": "Elixir",
    ".scala": "Scala",
    ".cpp": "C++",
    ".swift": "Swift",
}


def languages(files: Iterable[PurePath]) -> tuple[str, ...]:
    """Return up to three languages of source files, the one with the most files first."""
    suffixes = (file.suffix.lower() for file in files)
    counted = Counter(_LANGUAGES[suffix] for suffix in suffixes if suffix in _LANGUAGES)
    return tuple(name for name, _ in counted.most_common(3))


def libraries(root: Path, top: Path) -> Iterator[str]:
    """Yield the libraries of the field that the requirements of a project name."""
    files = [
        file
        for folder in dict.fromkeys((root, top))
        for pattern in ("pyproject.toml", "requirements*.txt", "setup.cfg", "Pipfile")
        for file in sorted(folder.glob(pattern))
    ]
    text = "\n".join(_start_of(file) for file in files)
    yield from (name for name, pattern in _LIBRARIES.items() if pattern.search(text))


def _start_of(file: Path) -> str:
    if file.is_symlink() or not file.is_file():
        return ""
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            return stream.read(200_000)
    except OSError:
        return ""
