"""Trees of a commit, from both sides."""

from __future__ import annotations

from pathlib import Path

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
