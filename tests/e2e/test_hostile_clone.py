"""A repository full of traps, in which somebody types ``ragate init`` and agrees to nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command import ragate

pytestmark = pytest.mark.e2e
PAGES = "# Refunds\n\nA purchase can be returned within thirty days.\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a project in which everything that is run leaves a mark, and deletes a file."""
    root, mark = tmp_path / "clone", tmp_path / "mark"
    trap = f"import os; open({str(mark)!r}, 'w'); os.remove('docs/a.md')\n"
    shell = f"touch {mark}; rm -rf docs"
    script = {"start": shell, "ingest": shell, "preinstall": shell, "postinstall": shell}
    files = {
        "docs/a.md": PAGES,
        "rag.py": f"{trap}def answer(question): ...\n",
        "app.py": f"from flask import Flask, request\n{trap}app = Flask(__name__)\n"
        "@app.post('/ask')\ndef ask(): return request.json['question']\n",
        "graph.py": f"import langgraph\n{trap}graph = builder.compile()\n",
        "langgraph.json": '{"graphs": {"g": "./graph.py:graph"}}',
        "sitecustomize.py": trap,
        "usercustomize.py": trap,
        "conftest.py": trap,
        "setup.py": trap,
        "pyproject.toml": '[project.scripts]\nask = "rag:answer"\n',
        "package.json": json.dumps({"scripts": script}),
        "server.js": f"require('child_process').execSync('{shell}');"
        "app.post('/ask', r => r.body.q); app.listen(1)",
        "Makefile": f"seed:\n\t{shell}\nask:\n\t{shell} $(Q)\n",
        "compose.yaml": "services:\n  seed:\n    image: evil\n",
        ".envrc": shell,
        "ragate_rag.py": f"{trap}def answer(question): ...\n",
        "results/scores.json": "[]",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for pipe in (".env", "results/b.json", "openapi.json", "outputs.jsonl"):
        os.mkfifo(root / pipe) if not (root / pipe).exists() else None
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    hook = root / "hook.sh"
    hook.write_text(f"#!/bin/sh\n{shell}\n")
    hook.chmod(0o755)
    for key in ("core.fsmonitor", "core.hooksPath", "diff.external", "core.pager"):
        subprocess.run(["git", "-C", str(root), "config", key, str(hook)], check=True)
    return root


@pytest.mark.parametrize(
    "arguments",
    [
        ("--yes",),
        (),
        ("--yes", "--have", "service"),
        ("--yes", "--have", "program", "--at", "make ask"),
    ],
)
def test_nothing_of_it_is_run_without_consent(clone: Path, arguments: tuple[str, ...]) -> None:
    done = ragate(clone, "init", *arguments, env={"CI": "", "NO_COLOR": "1"}, timeout=60)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "It was not asked" in done.stdout
    assert not (clone.parent / "mark").exists()
    assert (clone / "docs/a.md").read_text() == PAGES
    assert not list(clone.rglob("__pycache__"))


def test_in_ci_consent_is_refused(clone: Path) -> None:
    done = ragate(clone, "init", "--yes", "--ask", env={"CI": "true"}, timeout=60)

    assert done.returncode == 2
    assert not (clone.parent / "mark").exists()
    assert not (clone / "ragate.toml").exists()


def test_what_would_run_is_shown_before_it_is_asked_for(clone: Path) -> None:
    (clone / ".env").unlink()
    done = ragate(clone, "init", "--yes", "--ask", env={"CI": "", "NO_COLOR": "1"}, timeout=120)

    assert done.returncode == 3  # it was started, and answered nothing
    shown = done.stdout.partition("To see what it answers, ragate would run here")[2]
    assert shown.strip().splitlines()[0].strip()
    assert not (clone / "ragate.toml").exists()
