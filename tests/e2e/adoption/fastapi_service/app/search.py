"""Finds pages by their words."""

import re
from pathlib import Path

KB = Path(__file__).parent.parent / "kb"
PAGES = {path.relative_to(KB).as_posix(): path.read_text() for path in sorted(KB.rglob("*.md"))}


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def best(question: str, count: int) -> list[tuple[str, str, float]]:
    wanted = words(question)
    ranked = sorted(PAGES, key=lambda name: (-len(wanted & words(PAGES[name])), name))
    return [(name, PAGES[name], float(len(wanted & words(PAGES[name])))) for name in ranked[:count]]
