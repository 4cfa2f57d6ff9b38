"""An exception with its place and all that it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragate.worker.raised import summary, trace


def raised(code: str, path: Path) -> BaseException:
    names: dict[str, Any] = {}
    exec(compile(code, str(path), "exec"), names)
    try:
        names["run"]()
    except BaseException as error:  # noqa: BLE001
        return error
    raise AssertionError


def test_the_last_line_of_the_project_counts_and_not_one_of_a_library(tmp_path: Path):
    code = "import json\n\ndef run():\n    json.loads('{')"

    told = summary(raised(code, tmp_path / "app" / "rag.py"), str(tmp_path))

    assert told.endswith("(app/rag.py:4, in run)")


def test_an_environment_in_the_folder_is_no_part_of_the_project(tmp_path: Path):
    code = "def run(): raise ValueError('x')"
    path = tmp_path / ".venv/lib/python3.11/site-packages/lib.py"

    assert summary(raised(code, path), str(tmp_path)).endswith(f"({path}:1, in run)")


def test_causes_are_named_up_to_a_number_and_each_once(tmp_path: Path):
    code = "def run(n=30):\n    try: run(n - 1) if n else int('x')\n"
    code += "    except Exception as error: raise ValueError(n) from error"

    told = summary(raised(code, tmp_path / "rag.py"), str(tmp_path))

    assert told.count("; caused by ") == 9
    loop = ValueError("x")
    loop.__cause__ = loop
    assert summary(loop, str(tmp_path)) == "ValueError: x"


def test_a_context_that_was_left_out_is_left_out(tmp_path: Path):
    code = (
        "def run():\n    try: 1 / 0\n    except ZeroDivisionError: raise ValueError('x') from None"
    )

    assert "ZeroDivision" not in summary(raised(code, tmp_path / "rag.py"), str(tmp_path))


def test_an_exception_whose_text_raises_is_told_all_the_same(tmp_path: Path):
    code = "class E(Exception):\n    def __str__(self): raise RuntimeError\ndef run(): raise E"

    assert summary(raised(code, tmp_path / "r.py"), str(tmp_path)).startswith("E: (its text cannot")


def test_a_long_trace_keeps_its_end():
    assert len(trace(ValueError("x" * 99_999))) <= 20_001
