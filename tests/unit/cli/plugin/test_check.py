"""`ragate plugin check` on code that does not come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("code", [0, 3])
def test_a_file_that_ends_the_process_keeps_no_contract(
    code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(f"import os\nos._exit({code})\n")

    assert run(["plugin", "check", "mine.py"]) == 2
    assert f"its code ended the process before the check was through (exit code {code})" in (
        capsys.readouterr().err
    )


def test_one_that_ends_it_when_it_is_asked_neither(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plugin", "new", "metric", "mine"]) == 0
    path = tmp_path / "evals/mine.py"
    path.write_text(path.read_text().replace("return ", "__import__('os')._exit(0); return ", 1))

    assert run(["plugin", "check", "evals/mine.py"]) == 2
    assert "its code ended the process" in capsys.readouterr().err


def test_what_cannot_be_imported_is_said_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text("1 / 0\n")

    assert run(["plugin", "check", "mine.py"]) == 2
    assert "mine.py:1 cannot be imported: ZeroDivisionError" in capsys.readouterr().err


def test_a_folder_that_a_link_leads_out_of_is_not_written_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here/evals").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "here")

    assert run(["plugin", "new", "metric", "mine"]) == 2
    assert "a link leads out of this folder" in capsys.readouterr().err
    assert list((tmp_path / "elsewhere").iterdir()) == []
