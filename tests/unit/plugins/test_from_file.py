"""A plugin that is one file: what cannot be loaded says where and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import PluginError
from ragate.plugins import is_module_elsewhere, load_file, takes_request


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_module", "mine.py:1 cannot be imported: ModuleNotFoundError"),
        ("x = 1\nraise ValueError('no')", "mine.py:2 cannot be imported: ValueError: no"),
        ("def (", "cannot be imported: SyntaxError"),
        ("raise SystemExit(0)", "mine.py:1 cannot be imported: SystemExit"),
        ("\0", "cannot be imported"),
    ],
)
def test_a_file_that_cannot_be_imported_names_its_line(
    tmp_path: Path, code: str, said: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(code)

    with pytest.raises(PluginError) as raised:
        load_file(path)

    assert said in raised.value.message


def test_no_file_and_no_python_are_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")

    with pytest.raises(PluginError, match="there is no such file"):
        load_file(tmp_path / "none.py")
    with pytest.raises(PluginError, match="no Python file"):
        load_file(tmp_path / "notes.txt")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1", "defines no function 'create'"),
        ("def create(): ...", "'create' takes 0 arguments"),
        ("def create(a, b, c): ...", "'create' takes 3 arguments"),
    ],
)
def test_a_file_without_a_plugin_says_what_it_lacks(tmp_path: Path, code: str, said: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(code)

    with pytest.raises(PluginError) as raised:
        takes_request(load_file(path), path)

    assert said in raised.value.message


def test_a_metric_is_told_from_a_system_by_its_create(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def create(request, extra=1): ...")
    assert takes_request(load_file(path), path)
    path.write_text("def create(settings, resources): ...")
    assert not takes_request(load_file(path), path)


def test_a_name_that_leads_somewhere_else_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "json").mkdir()

    assert is_module_elsewhere("json")
    assert not is_module_elsewhere("no_such_module_anywhere")
