"""Three repositories that know nothing of ragate, and what a user writes to gate each."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.command import CLEAN, ragate

HERE = Path(__file__).parent
LLAMAINDEX = """\
[system]
use    = "llamaindex"
target = "bot:build"
"""
STARLETTE = """\
[system]
use    = "http"
url    = "http://127.0.0.1:{port}/ask"
start  = ["{python}", "-m", "uvicorn", "service:app", "--port", "{port}", "--log-level", "error"]
health = "http://127.0.0.1:{port}/alive"
body   = '{{"text": {{{{ query | tojson }}}}}}'
[system.pointers]
answer   = "/reply/text"
contexts = "/sources/*/content"
ids      = "/sources/*/page"
"""


@dataclass(frozen=True)
class App:
    """A repository under a gate.

    Attributes:
        use: The system that reaches it.
        system: What the user writes in place of the table ``[system]`` that ``init`` wrote.
        policy: Lines of the policy that the user changes, by what ``init`` wrote.
        env: What the commands get besides.
    """

    root: Path
    use: str
    system: str = ""
    policy: Mapping[str, str] | None = None

    @property
    def config(self) -> Path:
        return self.root / "ragate.toml"

    def run(
        self, *arguments: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        own = {"CI": "1", "NO_COLOR": "1", **(env or {})}
        return ragate(self.root, *arguments, env=own, timeout=180)

    def edit(self, old: str, new: str, *, file: str = "ragate.toml") -> None:
        """Replace a text that must be there."""
        path = self.root / file
        text = path.read_text()
        assert old in text, old
        path.write_text(text.replace(old, new))

    def adopt(self) -> list[str]:
        """Do what a user does after ``init``; return the lines that were written for it."""
        before = self.config.read_text().splitlines()
        for old, new in (self.policy or {}).items():
            self.edit(old, new)
        if self.system:
            text = self.config.read_text().partition("\n[system]")[0]
            self.config.write_text(f"{text}\n{self.system}")
        return [line for line in self.config.read_text().splitlines() if line not in before]


def llamaindex_app(root: Path) -> App:
    policy = {'systems = ["pgvector"]': 'systems = ["llamaindex"]'}
    return App(copied("llamaindex_app", root), "llamaindex", LLAMAINDEX, policy)


def starlette_service(root: Path) -> App:
    port = free_port()
    policy = {
        'systems = ["pgvector"]': f'systems = ["http"]\nhttp_hosts = ["127.0.0.1:{port}"]',
    }
    system = STARLETTE.format(port=port, python=sys.executable)
    return App(copied("starlette_service", root), "http", system, policy)


def jsonl_script(root: Path) -> App:
    app = App(copied("jsonl_script", root), "replay")
    answer_all(app)
    return app


def answer_all(app: App) -> None:
    """Run the script as its owners do."""
    subprocess.run([sys.executable, "answer_all.py"], cwd=app.root, check=True, env=CLEAN)


def copied(name: str, root: Path) -> Path:
    shutil.copytree(HERE / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "-q", str(root / name)], check=True)
    return root / name


def free_port() -> int:
    """Return a port that nothing listens on now: a configuration has to name one."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port
