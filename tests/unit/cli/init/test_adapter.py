"""The adapter that is written for code: what is certain is called, the rest is shown."""

from __future__ import annotations

import asyncio
import inspect
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.init.adapter import TODO, node_adapter, program_adapter, python_adapter
from ragate.cli.init.kinds import choice_of, likeliest
from ragate.cli.init.survey import look
from tests.unit.cli.init.init_factories import write

PLAIN = "def answer(question): return question.upper()\n"


def adapter(root: Path, files: dict[str, str]) -> str:
    return python_adapter(look(write(root, files)).code.callables)


def called(root: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what the adapter answers, in a process whose path begins at the root."""
    monkeypatch.setattr(sys, "path", [str(root), *sys.path])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    names: dict[str, Any] = {"__file__": str(root / "ragate_rag.py")}
    exec(compile(text, "ragate_rag.py", "exec"), names)
    reply = names["answer"]("why")
    return asyncio.run(reply) if inspect.iscoroutine(reply) else reply


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("mybot.py", PLAIN),
        ("mybot.py", f"async {PLAIN}"),
        ("src/my_package/mybot.py", PLAIN),
        ("backend/my_app/mybot.py", f"from my_app import other\n{PLAIN}"),
        ("server/mybot.py", f"import sibling\n{PLAIN}"),
    ],
)
def test_what_is_certain_is_imported_and_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, code: str
) -> None:
    extra = {"backend/my_app/other.py": "", "server/sibling.py": ""}
    text = adapter(tmp_path, {**extra, file: code})

    assert called(tmp_path, text, monkeypatch) == "WHY"


def test_files_that_only_use_a_library_are_shown_from_where_their_imports_lead(
    tmp_path: Path,
) -> None:
    files = {"src/search.py": "import config\nfrom langchain import hub\n", "src/config.py": ""}
    code = look(write(tmp_path, files)).code

    text = python_adapter(code.callables, code.candidates)

    assert (
        '# sys.path.insert(0, str(Path(__file__).parent / "src"))\n# from search import …' in text
    )


@pytest.mark.parametrize(
    "code",
    [
        "class Store:\n  def query(self, query): ...\n",
        "def search(query): ...\n",
        "def click_handler(text): ...\n",
        "def answer(question, index): ...\n",
        "@app.post('/ask')\ndef ask(question): ...\n",
        "if __name__ == '__main__':\n  def answer(question): ...\n",
        "def answer(question):\n  yield question\n",
        "def answer(question:",
    ],
)
def test_what_is_not_certain_is_not_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    text = adapter(tmp_path, {"mybot.py": code})

    with pytest.raises(NotImplementedError, match=TODO):
        called(tmp_path, text, monkeypatch)
    shown = any(word in code for word in ("(self, query)", "def search", "yield", "@app"))
    assert ("# from mybot import" in text) is shown


def test_a_method_that_somebody_names_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"mybot.py": "class Bot:\n  def ask(self, it, k=1): return it.upper()\n"})
    choice = choice_of(look(tmp_path), "code", "mybot:Bot.ask")

    assert called(tmp_path, choice.files["ragate_rag.py"], monkeypatch) == "WHY"


def test_a_program_gets_the_question_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = program_adapter([sys.executable, "-c", "import sys; print(sys.argv[1] * 2)"])
    broken = program_adapter([sys.executable, "-c", "raise SystemExit('no index')", "{question}"])

    assert called(tmp_path, text, monkeypatch) == "whywhy"
    with pytest.raises(RuntimeError, match="no index"):
        called(tmp_path, broken, monkeypatch)


def test_a_program_of_python_is_run_by_the_python_that_runs_the_adapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import sys\nprint(sys.argv[1].upper())  # parser.add_argument('query_text')\n"
    survey = look(write(tmp_path, {"query_data.py": code}))
    choice = choice_of(survey, likeliest(survey))

    monkeypatch.chdir(tmp_path)
    assert called(tmp_path, choice.files["ragate_rag.py"], monkeypatch) == "WHY"
    assert "[sys.executable, " in choice.files["ragate_rag.py"]


def test_an_adapter_of_a_django_project_sets_it_up_before_its_imports(tmp_path: Path) -> None:
    manage = "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')\n"
    survey = look(write(tmp_path, {"manage.py": manage, "rag/answers.py": PLAIN}))

    text = choice_of(survey, "code").files["ragate_rag.py"]

    assert '"DJANGO_SETTINGS_MODULE", "shop.settings"' in text
    assert text.index("django.setup()") < text.index("from rag.answers import answer")


def test_sources_async_streams_and_frameworks_are_shown() -> None:
    text = python_adapter([])

    assert all(word in text for word in ('"chunks": [{', "await", '"".join', "LangChain"))
    assert TODO in node_adapter()


@pytest.mark.skipif(shutil.which("node") is None, reason="not installed: node")
def test_the_adapter_of_node_answers_a_line_with_a_line(tmp_path: Path) -> None:
    answers = 'if (question === "b") return "B"; return { answer: "A", chunks: [] }; '
    adapter = tmp_path / "ragate_rag.mjs"
    adapter.write_text(
        node_adapter().replace("  throw new", f"  console.log('noise'); {answers}throw new")
    )
    lines = '{"id": "1", "query": "a"}\n{"id": "2", "query": "b"}\n'

    ran = subprocess.run(["node", adapter], input=lines, capture_output=True, text=True, check=True)

    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert told == [{"id": "1", "answer": "A", "chunks": []}, {"id": "2", "answer": "B"}]
