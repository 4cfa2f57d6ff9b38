"""Repositories that know nothing of ragate, as strangers write them."""

from __future__ import annotations

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
INIT = ("init", "--yes", "--ask")
UNWANTED = shutil.ignore_patterns("__pycache__", ".ragate")


@dataclass(frozen=True)
class App:
    """A repository under a gate.

    Attributes:
        root: Where its ragate.toml goes.
        use: The system that reaches it.
    """

    root: Path
    use: str

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
        own = {"CI": in_ci, "NO_COLOR": "1", "PATH": path, **(env or {})}
        return ragate(self.root, *arguments, env=own, timeout=180)

    def edit(self, old: str, new: str, *, file: str = "ragate.toml") -> None:
        """Replace a text that must be there."""
        path = self.root / file
        text = path.read_text()
        assert old in text, old
        path.write_text(text.replace(old, new))


def llamaindex_app(root: Path) -> App:
    return App(copied("llamaindex_app", root), "llamaindex")


def starlette_service(root: Path) -> App:
    app = App(copied("starlette_service", root), "http")
    app.edit("8643", str(free_port()), file="service.py")
    return app


def fastapi_service(root: Path) -> App:
    app = App(copied("fastapi_service", root), "http")
    app.edit("8642", str(free_port()), file="app/main.py")
    return app


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
