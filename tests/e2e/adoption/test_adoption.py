"""From ``ragate init`` in a foreign repository to a verdict, with a handful of lines."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.e2e.adoption.apps import App, answer_all, jsonl_script, llamaindex_app, starlette_service

pytestmark = pytest.mark.e2e
MOST_LINES = 15
NEEDS_SERVER = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("starlette", "uvicorn")),
    reason="not installed: starlette and uvicorn",
)
# Where each app says which page a passage is from, and a change that gets it wrong.
BROKEN = {
    "llamaindex": ("bot.py", "doc_id=path.name, ", 'doc_id=f"kb/{path.name}", '),
    "http": ("service.py", '{"page": name,', '{"page": f"kb/{name}",'),
    "replay": ("answer_all.py", '{"id": name,', '{"id": f"kb/{name}",'),
}
APPS = [
    pytest.param(llamaindex_app, id="llamaindex"),
    pytest.param(starlette_service, id="starlette", marks=NEEDS_SERVER),
    pytest.param(jsonl_script, id="jsonl"),
]


@pytest.mark.parametrize("make", APPS)
def test_a_foreign_repository_comes_to_a_verdict_with_few_lines(
    make: Callable[[Path], App], tmp_path: Path
) -> None:
    app = make(tmp_path)
    assert "ragate" not in "".join(path.read_text() for path in app.root.glob("*.py"))

    begun = app.run("init", "--yes")
    lines = app.adopt()
    recorded = app.run("baseline", "update")
    checked = app.run("check")

    assert begun.returncode == 0, begun.stderr
    assert len(lines) <= MOST_LINES, lines
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "PASSED" in checked.stdout

    file, right, wrong = BROKEN[app.use]
    app.edit(right, wrong, file=file)
    if app.use == "replay":
        answer_all(app)
    broken = app.run("check")
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "recall@10" in broken.stdout


def test_the_script_that_writes_jsonl_needs_no_line_at_all(tmp_path: Path) -> None:
    app = jsonl_script(tmp_path)
    app.run("init", "--yes")

    assert app.adopt() == []
