"""Repositories that know nothing of ragate, as strangers write them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.command import CLEAN, ragate
from tests.servers.ports import free_port

HERE = Path(__file__).parent
ENGINE = """
[policy]
dataset = "evals/golden.jsonl"
baseline = "baselines/main.json"
systems = ["llamaindex"]
metrics = {"recall@10" = {level = "error"}}

[system]
use = "llamaindex"
target = "bot:build"
doc_id = "file_path"
doc_id_relative_to = "docs"
"""
INIT = ("init", "--yes", "--ask")
UNWANTED = shutil.ignore_patterns("__pycache__", ".ragate")


@dataclass(frozen=True)
class App:
    """A repository under a gate.

    Attributes:
        root: Where its ragate.toml goes.
        use: The system that reaches it.
        at: What its owner says of where it is.
    """

    root: Path
    use: str
    at: str = ""

    @property
    def config(self) -> Path:
        return self.root / "ragate.toml"

    def run(
        self, *arguments: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        # As in a shell where the environment of the RAG, and of ragate, is active.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        # init starts nothing in CI, whoever asks for it.
        in_ci = "" if "--ask" in arguments else "1"
        arguments = (*arguments, "--at", self.at) if arguments == INIT and self.at else arguments
        own = {"CI": in_ci, "NO_COLOR": "1", "PATH": path, **(env or {})}
        return ragate(self.root, *arguments, env=own, timeout=180)

    def edit(self, old: str, new: str, *, file: str = "ragate.toml") -> None:
        """Replace a text that must be there."""
        path = self.root / file
        text = path.read_text()
        assert old in text, old
        path.write_text(text.replace(old, new))


def llamaindex_app(root: Path) -> App:
    return App(copied("llamaindex_app", root), "python")


def engine_app(root: Path) -> App:
    """Return the same, where its owner names the engine itself."""
    app = App(copied("llamaindex_app", root), "llamaindex")
    app.config.write_text(ENGINE)
    (app.root / "evals").mkdir()
    pages = (
        path.relative_to(app.root / "docs").as_posix() for path in app.root.glob("docs/**/*.md")
    )
    rows = [{"id": page, "query": f"What of {page}?", "relevant": {page: 1}} for page in pages]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (app.root / "evals/golden.jsonl").write_text(lines)
    return app


def starlette_service(root: Path) -> App:
    return App(copied("starlette_service", root), "http", f"http://127.0.0.1:{free_port()}")


def fastapi_service(root: Path) -> App:
    return App(copied("fastapi_service", root), "http", f"http://127.0.0.1:{free_port()}")


def function_app(root: Path) -> App:
    return App(copied("function_app", root), "python")


def second_of_two(root: Path) -> App:
    """Return the second project of a repository whose first has its gate already."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for name in ("help", "shop"):
        shutil.copytree(HERE / "function_app", root / "apps" / name, ignore=UNWANTED)
    first = App(root / "apps/help", "python")
    for command in (INIT, ("baseline", "update")):
        done = first.run(*command)
        assert done.returncode == 0, done.stderr
    return App(root / "apps/shop", "python")


def jsonl_script(root: Path) -> App:
    app = App(copied("jsonl_script", root), "replay")
    answer_all(app)
    return app


def answer_all(app: App) -> None:
    """Run the script as its owners do."""
    subprocess.run([sys.executable, "answer_all.py"], cwd=app.root, check=True, env=CLEAN)


def copied(name: str, root: Path) -> Path:
    shutil.copytree(HERE / name, root / name, ignore=UNWANTED)
    subprocess.run(["git", "init", "-q", str(root / name)], check=True)
    return root / name
