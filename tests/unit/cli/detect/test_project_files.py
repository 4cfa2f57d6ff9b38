"""Reading the code of a stranger: nothing runs, nothing outside is read, and it ends."""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.detect import find_systems
from ragate.cli.detect import project_files as module
from ragate.cli.detect.node import find_node
from ragate.cli.detect.programs import find_programs, find_seeds
from ragate.cli.detect.project_files import (
    MAX_BYTES,
    SCRIPTS,
    interpreter,
    manifest,
    python_files,
    source_files,
    variables,
)
from tests.unit.cli.detect.code import only, project
from tests.unit.cli.init.init_factories import write

ANSWER = "def answer(question): return 'x'\n"


def names(root: Path) -> list[str]:
    return [file.module for file in python_files(root)]


def test_nothing_of_the_project_is_run(tmp_path: Path):
    code = "open('ran', 'w')\nraise SystemExit\ndef answer(question): return 'x'\n"
    root = project(tmp_path, rag=code)

    assert [each.settings["target"] for each in find_systems(root)] == ["rag:answer"]
    assert not (root / "ran").exists()


def test_modules_are_named_as_they_are_imported(tmp_path: Path):
    root = project(tmp_path, app__rag="", src__pkg__core="", setup="")
    (root / "app/__init__.py").write_text("")

    assert set(names(root)) == {"app.rag", "app", "pkg.core", "setup"}


def test_environments_tests_and_links_are_passed_over(tmp_path: Path):
    root = project(tmp_path, tests__rag="", mine__lib__rag="", test_rag="", a="")
    (root / "mine/pyvenv.cfg").write_text("")
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "rag.py").write_text("")
    (root / "linked").symlink_to(outside)
    (root / "link.py").symlink_to(outside / "rag.py")

    assert names(root) == ["a"]


def test_a_folder_that_nobody_may_enter_or_behind_a_link_is_not_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = project(tmp_path, theirs__rag="", a="")
    (root / "linked").symlink_to("/root")
    looked_at, stat = [], os.stat

    def refused(path: Any, *args: Any, **options: Any) -> os.stat_result:
        if Path(path).name == "pyvenv.cfg":
            looked_at.append(Path(path).parent.name)
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, *args, **options)

    monkeypatch.setattr(os, "stat", refused)

    assert names(root) == ["a", "theirs.rag"]
    assert "theirs" in looked_at
    assert "linked" not in looked_at


@pytest.mark.parametrize(
    "content",
    [b"def (", b"\x00", b"\xff\xfe", b"x = " + b"(" * 5000, b"'\\d'\n", b"x = [\n" * 300],
)
def test_files_that_are_no_python_are_passed_over(tmp_path: Path, content: bytes):
    root = project(tmp_path, good="def answer(question): return 'x'")
    (root / "bad.py").write_bytes(content)

    assert [each.settings["target"] for each in find_systems(root)] == ["good:answer"]


def test_deep_expressions_do_not_stop_the_others(tmp_path: Path):
    deep = "def ask(question): return " + "-" * 400 + "1\n" + "x = " + "a + " * 900 + "a\n"
    root = project(tmp_path, deep=deep, good="def answer(question): return 'x'")

    assert "good:answer" in [each.settings["target"] for each in find_systems(root)]


def test_the_number_and_the_size_of_files_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = project(tmp_path, **{f"m{number}": "x = 1" for number in range(9)})
    (root / "a.py").write_text("x = 1\n" * 100)
    monkeypatch.setattr(module, "MAX_FILES", 4)
    monkeypatch.setattr(module, "MAX_BYTES", 50)

    files = python_files(root)

    assert len(files) == 4
    assert files[0].tree.body == []  # too large to be read


def environment(root: Path) -> None:
    (root / ".venv/bin").mkdir(parents=True)
    (root / ".venv/pyvenv.cfg").write_text("")
    (root / ".venv/bin/python").write_text("")


def test_an_environment_of_its_own_is_the_interpreter(tmp_path: Path):
    root = project(tmp_path, rag=ANSWER)
    environment(root)

    assert only(find_systems(root)).settings["interpreter"] == [".venv/bin/python"]


def test_an_environment_that_is_shared_with_ragate_is_none_of_its_own(tmp_path: Path):
    root = project(tmp_path, rag=ANSWER)
    (root / ".venv").symlink_to(sys.prefix)

    assert interpreter(root) == []
    assert "interpreter" not in only(find_systems(root)).settings


def test_variables_that_the_code_reads_are_passed_to_a_process_of_its_own(tmp_path: Path):
    code = """
    import os
    from llama_index.llms.openai import OpenAI
    URL = os.environ["QDRANT_URL"]
    TOP = os.getenv("TOP_K", "5")
    HOME = os.environ.get("HOME")
    ODD = os.environ["not a name"]
    """
    root = project(tmp_path, settings=code, rag=ANSWER)
    assert "pass_env" not in only(find_systems(root)).settings
    environment(root)

    found = only(find_systems(root))

    assert variables(python_files(root)) == ["OPENAI_API_KEY", "QDRANT_URL", "TOP_K"]
    assert found.settings["pass_env"] == ["OPENAI_API_KEY", "QDRANT_URL", "TOP_K"]


def test_comments_go_and_lines_keep_their_numbers(tmp_path: Path):
    write(tmp_path, {"a.js": "/* one\ntwo */\n// three\nfour();\n"})

    (file,) = source_files(tmp_path, SCRIPTS)

    assert file.text.splitlines()[3] == "four();"
    assert file.text.strip() == "four();"


def test_what_only_looks_like_a_comment_stays(tmp_path: Path):
    write(tmp_path, {"a.js": 'get({ accept: "*/*" });\nask();\nget("src/**/*.js");\n'})

    (file,) = source_files(tmp_path, SCRIPTS)

    assert "ask();" in file.text


HOSTILE = [
    *("/*", "/*\n", "\n", " ", "export ", "function a(", "const a = (", "module.exports = {"),
    *("fn main()", "static void main(", "package main\n", '.post("/a"', "return {", "req.headers."),
    *("{a} = ", "export function ask(question) {}\n", 'app.post("/a", {q} = req.body);'),
]


@pytest.mark.parametrize("part", HOSTILE)
def test_no_text_of_a_stranger_takes_long_to_be_read(tmp_path: Path, part: str):
    text = part * (MAX_BYTES // len(part))
    names = ("a.js", "a.rs", "a.go", "A.java", "a.rb")
    write(tmp_path, {"package.json": "{}", "Cargo.toml": "", "go.mod": "", "Makefile": text})
    write(tmp_path, dict.fromkeys(names, f"{text}question ARGV"))
    began = time.process_time()

    list(find_node(tmp_path))
    list(find_programs(tmp_path))
    find_seeds(tmp_path, tmp_path)

    assert time.process_time() - began < 5


def test_packages_tests_links_and_our_own_adapter_are_passed_over(tmp_path: Path):
    names = ("node_modules/x/a.js", "dist/a.js", "a.test.js", "ragate-adapter.mjs", ".x/a.js")
    write(tmp_path, {**dict.fromkeys(names, ""), "real.js": ""})
    (tmp_path / "linked.js").symlink_to(tmp_path / "real.js")

    assert [str(file.path) for file in source_files(tmp_path, SCRIPTS)] == ["real.js"]


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_a_manifest_that_cannot_be_read_is_none(tmp_path: Path, text: str):
    (tmp_path / "package.json").write_text(text)

    assert manifest(tmp_path) is None
