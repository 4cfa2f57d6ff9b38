"""The workflows in our Markdown, as files, so that linters can read them.

    python -m tests.workflows.blocks FOLDER

A YAML block is a workflow where it has both `on` and `jobs`; every other block is a fragment.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(
    r"^ *(?P<fence>`{3,}|~{3,})(?:yaml|yml)\b[^\n]*\n(?P<text>.*?)^ *(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A workflow in a page: the page, the line of its first line, and its text."""

    page: Path
    line: int
    text: str

    @property
    def name(self) -> str:
        """Return a file name that leads back to the page."""
        return f"{'-'.join(self.page.with_suffix('').parts)}-line-{self.line}.yml"

    def parsed(self) -> dict[str, Any]:
        """Return the workflow with its triggers under ``on``, which YAML 1.1 reads as True."""
        found: dict[Any, Any] = yaml.load(self.text, yaml.CSafeLoader)
        return {("on" if key is True else str(key)): value for key, value in found.items()}


def pages(root: Path = ROOT) -> Iterator[Path]:
    """Yield every page of ours."""
    yield root / "README.md"
    yield from sorted((root / "docs").rglob("*.md"))
    yield from sorted((root / ".github").rglob("*.md"))


def workflows(root: Path = ROOT) -> list[Block]:
    """Return the workflows of all pages."""
    return [block for page in pages(root) for block in _blocks(page, root) if _is_workflow(block)]


def _blocks(page: Path, root: Path) -> Iterator[Block]:
    markdown = page.read_text("utf-8")
    for match in _FENCE.finditer(markdown):
        line = markdown.count("\n", 0, match.start("text")) + 1
        yield Block(page.relative_to(root), line, textwrap.dedent(match["text"]))


def _is_workflow(block: Block) -> bool:
    lines = block.text.splitlines()
    starts = [line.partition(":")[0].strip("\"'") for line in lines if ":" in line]
    return "on" in starts and "jobs" in starts


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for block in workflows():
        (folder / block.name).write_text(block.text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
