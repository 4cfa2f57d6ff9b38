"""Trees of a commit, from both sides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragate.github.commits.commit_tree import Tree
from ragate.github.commits.git_objects import FOLDER, TreeEntry
from tests.projects import CONFIG
from tests.repositories import git

FILES = {
    "app/ragate.toml": CONFIG.format(policy="", metrics=""),
    "app/golden.jsonl": '{"id": "q1", "query": "?"}\n',
    "app/baselines/gate.json": "{}",
    "app/empty": "",
    "réd me.txt": "é",
}


def local_repository(folder: Path) -> str:
    """Commit the files with a link to a file and one to a folder; return the commit."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "linked").symlink_to("app")
    (folder / "app" / "link.jsonl").symlink_to("golden.jsonl")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "all")
    return git(folder, "rev-parse", "HEAD")


class FilesTree(Tree):
    """A commit in memory; the sha of a file or a folder in it is its path."""

    sha = "0" * 40

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files

    def folder(self, sha: str) -> dict[str, TreeEntry]:
        start = "" if sha == self.sha else f"{sha}/"
        below = [path.removeprefix(start) for path in self.files if path.startswith(start)]
        parts = [path.partition("/") for path in below]
        return {
            name: TreeEntry(FOLDER if inner else "100644", start + name) for name, inner, _ in parts
        }

    def content(self, path: str, entry: TreeEntry) -> bytes:
        return self.files[entry.sha]
