"""Reading the code of a stranger: nothing runs, nothing outside is read, and it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect import python_files as module
from ragate.cli.detect.find import find_systems
from ragate.cli.detect.python_files import python_files
from tests.unit.cli.detect.code import project


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
