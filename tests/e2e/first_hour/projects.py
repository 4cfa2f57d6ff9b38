"""Repositories as strangers write them, each with the packages that it would have installed.

`stand_ins` imitates the few names that a project uses of Haystack, LangGraph, Flask and Express, in
the shapes of their replies: dataclasses, states of messages, JSON below a prefix.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pydantic

from tests.e2e.command import ragate
from tests.servers.ports import free_port

HERE = Path(__file__).parent
UNWANTED = shutil.ignore_patterns("__pycache__")


@dataclass(frozen=True)
class Project:
    """A repository, and how its owners may break its RAG.

    Attributes:
        root: Of the repository.
        code: The file that answers, below it; `folder` is where its ragate.toml goes.
        at: What its owner says of where it is.
    """

    root: Path
    code: str
    folder: str = ""
    at: str = ""

    def run(self, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command as its owner does: no CI, ragate and node on the path."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        env = {"CI": "", "NO_COLOR": "1", "PATH": path, "COLUMNS": "200"}
        return ragate(folder or self.root, *arguments, env=env, timeout=300)

    def follow(self, printed: str) -> list[str]:
        """Type the commands that init printed last, and return them; each ends with 0."""
        folder, typed = self.root, []
        for line in re.split(r"\n(?:Now|Once [^\n]*,) type:\n", printed)[1].splitlines():
            command = line.strip().partition("   ")[0]
            if command.startswith("cd "):
                folder = folder / command.removeprefix("cd ")
                continue
            done = self.run(*command.split()[1:], folder=folder)
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
            typed.append(command)
        return typed

    def check(self) -> subprocess.CompletedProcess[str]:
        return self.run("check", folder=self.root / self.folder)

    def edit(self, old: str, new: str, file: str = "") -> None:
        path = self.root / (file or self.code)
        text = path.read_text()
        assert old in text, old
        path.write_text(text.replace(old, new))


def haystack_app(root: Path) -> Project:
    project = copied("haystack_app", root)
    environment(project, "haystack")
    return Project(project, "app/components.py")


GRAPH = """
from support.graph import graph

def answer(question):
    return graph.invoke({"messages": [{"role": "user", "content": question}]})
"""


def langgraph_app(root: Path) -> Project:
    project = copied("langgraph_app", root)
    site = environment(project, "langgraph", "langchain_core")
    # As `pip install -e .` does it; pydantic is what the messages of LangChain are made of.
    shared = Path(pydantic.__file__).parents[1]
    (site / "project.pth").write_text(f"{project / 'src'}\n{shared}\n")
    (project / "ragate_rag.py").write_text(GRAPH)
    rows = json.loads((project / "data/articles.json").read_text())
    ask_about(project, rows, "article_id", "title")
    return Project(project, "src/support/graph.py")


def node_app(root: Path) -> Project:
    project = copied("node_app", root)
    shutil.copytree(HERE / "stand_ins/express", project / "node_modules/express")
    port = free_port()
    at = f"http://127.0.0.1:{port}/api/v1/assistant"
    done = Project(project, "src/search.js", at=at)
    done.edit("4173", str(port), "src/server.js")
    return done


def flask_monorepo(root: Path) -> Project:
    project = copied("flask_monorepo", root)
    service = project / "services/helpdesk"
    environment(service, "flask")
    at = f"http://127.0.0.1:{free_port()}"
    rows = json.loads((service / "articles.json").read_text())
    ask_about(service, rows, "headline", "headline")
    seeded = Project(project, "services/helpdesk/search.py", "services/helpdesk", at)
    seed(seeded)
    return seeded


def logs(root: Path) -> Project:
    """Return two months of logs: ids of chunks and of sessions, and thumbs."""
    pages = json.loads((HERE / "flask_monorepo/services/helpdesk/articles.json").read_text())
    draws = random.Random(4)
    for month in ("2026-09", "2026-10"):
        lines = []
        for number in range(60):
            page = draws.choice(pages)
            hits = [page, *draws.sample([each for each in pages if each is not page], 2)]
            query = f"What do I have to know about {page['headline'].lower()}"
            lines.append(
                {
                    "ts": f"{month}-{1 + number % 28:02}T08:00:00",
                    "id": f"session-{draws.randrange(30)}",
                    "user_query": query + draws.choice(["?", "", " ?"]),
                    "llm": {"response": page["text"].partition(". ")[0] + "."},
                    "retrieved": [
                        {
                            "chunk_id": f"{hit['slug']}.md::{draws.randrange(3)}",
                            "content": hit["text"],
                        }
                        for hit in hits
                    ],
                    "feedback": draws.choice([None, None, "up", "down"]),
                }
            )
        (root / "product/logs").mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (root / f"product/logs/{month}.jsonl").write_text(text)
    subprocess.run(["git", "init", "-q", str(root / "product")], check=True)
    return Project(root / "product", "logs/2026-10.jsonl")


def ask_about(folder: Path, rows: list[dict[str, object]], named: str, about: str) -> None:
    """Write the questions that owners have, with the documents as their reply calls them."""
    samples = [
        {"id": f"q{n}", "query": f"What about {row[about]}?", "relevant": {str(row[named]): 1}}
        for n, row in enumerate(rows[::2])
    ]
    (folder / "evals").mkdir()
    text = "".join(f"{json.dumps(sample)}\n" for sample in samples)
    (folder / "evals/golden.jsonl").write_text(text)


def seed(project: Project) -> None:
    """Fill the database, as ``make seed`` does."""
    subprocess.run([".venv/bin/python", "seed.py"], cwd=project.root / project.folder, check=True)


def environment(project: Path, *stand_ins: str) -> Path:
    """Make the environment of a project, with its packages; return where these are."""
    venv.create(project / ".venv", symlinks=True, with_pip=False)
    (site,) = (project / ".venv/lib").glob("python*/site-packages")
    for name in stand_ins:
        shutil.copytree(HERE / "stand_ins" / name, site / name, ignore=UNWANTED)
    return site


def copied(name: str, root: Path) -> Path:
    shutil.copytree(HERE / name, root / name, ignore=UNWANTED)
    subprocess.run(["git", "init", "-q", str(root / name)], check=True)
    (root / name / ".gitignore").write_text(".venv/\nnode_modules/\n__pycache__/\n*.db\n")
    return root / name
