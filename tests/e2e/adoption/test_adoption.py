"""From ``ragate init --yes --ask`` in a foreign repository to a verdict, without writing a line."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from ragate.config import load_config
from ragate.dataset import read_entries
from tests.e2e.adoption.apps import (
    INIT,
    App,
    answer_all,
    fastapi_service,
    function_app,
    jsonl_script,
    llamaindex_app,
    second_of_two,
    starlette_service,
)
from tests.night import by_night

pytestmark = pytest.mark.e2e
MOST_COMMANDS = 4
INSTALL = 1


def needs(*names: str) -> pytest.MarkDecorator:
    missing = [name for name in names if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@dataclass(frozen=True)
class Foreign:
    """A repository, and a change of it that breaks its retrieval.

    Attributes:
        wrong: In place of `right` in `file`.
        target: What `[system]` says of where the RAG is.
        adapter: What its owner writes in place of what `init` wrote.
    """

    make: Callable[[Path], App]
    target: str
    file: str
    right: str
    wrong: str
    adapter: str = ""


ENGINE = """
from bot import PAGES, build

ENGINE = build()

def answer(question):
    reply = ENGINE.query(question)
    nodes = [(n.node.metadata["file_path"], n.text) for n in reply.source_nodes]
    found = [{"doc_id": path[len(str(PAGES)) + 1 :], "text": text} for path, text in nodes]
    return {"answer": str(reply), "chunks": found}
"""
FOREIGN = {
    "fastapi": Foreign(
        fastapi_service,
        "/v1/ask",
        "app/search.py",
        "key=lambda name: (-len",
        "key=lambda name: (len",
    ),
    "starlette": Foreign(
        starlette_service, "/ask", "service.py", '{"page": name,', '{"page": f"kb/{name}",'
    ),
    "llamaindex": Foreign(
        llamaindex_app,
        "ragate_rag:answer",
        "bot.py",
        "[float]:\n        return self._get_text_embedding(query)\n\n    async",
        "[float]:\n        return [-x for x in self._get_text_embedding(query)]\n\n    async",
        adapter=ENGINE,
    ),
    "jsonl": Foreign(
        jsonl_script, "/prompt", "answer_all.py", '{"file": name,', '{"file": f"kb/{name}",'
    ),
    "function": Foreign(
        function_app,
        "ragate_rag:answer",
        "rag/pipeline.py",
        "key=lambda page: -len",
        "key=lambda page: len",
    ),
    "monorepo": Foreign(
        second_of_two,
        "ragate_rag:answer",
        "rag/pipeline.py",
        "key=lambda page: -len",
        "key=lambda page: len",
    ),
}
NEEDED = {"fastapi": ("fastapi", "uvicorn"), "starlette": ("starlette", "uvicorn")}
# By day one whose outputs are there, and one that is asked by its function.
BY_DAY = ("jsonl", "function")
NAMES = [
    pytest.param(
        name, marks=[needs(*NEEDED.get(name, ())), *([] if name in BY_DAY else [by_night])]
    )
    for name in FOREIGN
]


def begin(app: App, adapter: str) -> list[str]:
    """Adopt a repository by commands, and ten lines where its code is not certain."""
    commands = [INIT, ("baseline", "update"), ("check",)]
    for command in commands:
        done = app.run(*command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        if command is INIT and adapter:
            assert "It cannot be asked yet. ragate_rag.py: call your RAG here" in done.stdout
            assert len([line for line in adapter.splitlines() if line]) <= 10
            (app.root / "ragate_rag.py").write_text(adapter)
    assert "PASSED" in done.stdout
    return [" ".join(command) for command in commands]


@pytest.mark.parametrize("name", NAMES)
def test_a_foreign_repository_comes_to_a_verdict_by_three_commands(
    name: str, tmp_path: Path
) -> None:
    foreign = FOREIGN[name]
    app = foreign.make(tmp_path)
    sources = [path.read_text() for path in app.root.rglob("*.py")]
    assert "ragate" not in "".join(sources)
    started = time.monotonic()

    commands = begin(app, foreign.adapter)

    written = [path.read_text() for path in app.root.rglob("*.py")]
    assert set(sources) <= set(written)  # nobody wrote a line of code, but init its adapter
    assert len(written) - len(sources) == (app.use == "python")
    assert INSTALL + len(commands) <= MOST_COMMANDS
    assert time.monotonic() - started < 600
    config = load_config(app.config)
    assert config.system.use == app.use
    assert foreign.target in str(config.system.settings)

    app.edit(foreign.right, foreign.wrong, file=foreign.file)
    if app.use == "replay":
        answer_all(app)
    broken = app.run("check")
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "recall@10" in broken.stdout or "ndcg@10" in broken.stdout


def test_the_second_project_of_a_repository_has_a_gate_of_its_own(tmp_path: Path) -> None:
    app = second_of_two(tmp_path)
    assert app.run(*INIT).returncode == 0

    workflows = {path.name for path in (tmp_path / ".github/workflows").iterdir()}
    assert {"ragate-collect-apps-help.yml", "ragate-collect-apps-shop.yml"} <= workflows
    assert load_config(app.config).policy.baseline == "baselines/apps-shop.json"
    from_the_root = App(tmp_path, "python").run("check")
    assert from_the_root.returncode == 2
    assert "apps/help/ragate.toml, apps/shop/ragate.toml" in from_the_root.stderr


def test_the_first_questions_are_asked_and_further_ones_are_drafts(tmp_path: Path) -> None:
    app = function_app(tmp_path)
    app.run(*INIT)

    entries = read_entries(load_config(app.config).dataset)

    assert [entry.draft for entry in entries] == [False] * 5 + [True]
