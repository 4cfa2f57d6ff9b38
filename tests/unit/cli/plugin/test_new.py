"""`ragate plugin new` and `ragate plugin check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.cli.plugin import KINDS
from ragate.version import MANUAL


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_keeps_its_contract(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plugin", "new", kind, "mine", "--folder", "checks/gate"]) == 0

    said = capsys.readouterr().out
    assert "Next: ragate plugin check checks/gate/mine.py" in said
    assert "checks.gate.mine" in said
    assert "@" not in (tmp_path / "checks/gate/mine.py").read_text().replace("@async", "")
    assert run(["plugin", "check", "checks/gate/mine.py"]) == 0
    assert "demands are kept" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_its_own_test_runs_the_contract(kind: str, tmp_path: Path) -> None:
    from ragate.errors import PluginError
    from ragate.plugins import load_file

    assert run(["plugin", "new", kind, "mine"]) == 0
    path = tmp_path / "evals/mine.py"
    load_file(path).test_the_contract_is_kept()
    path.write_text(path.read_text().replace("return ", "return None and "))

    with pytest.raises(PluginError, match="does not keep to its contract"):
        load_file(path).test_the_contract_is_kept()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["metric", "Po-lite"], "'Po-lite' is no name of a Python module"),
        (["metric", "class"], "'class' is no name of a Python module"),
        (["metric", "recall"], "'recall' is a built-in metric"),
        (["judge", "rubric"], "'rubric' is a built-in judge"),
        (["system", "http"], "'http' is a built-in system"),
        (["metric", "x", "--folder", ".."], "a plugin is imported by its path"),
        (["metric", "x", "--folder", "/tmp/x"], "a plugin is imported by its path"),
        (["metric", "x", "--folder", "a-b"], "a plugin is imported by its path"),
        (["metric", "x", "--folder", "json"], "'json' is the name of a module that is installed"),
        (["metrik", "x"], "'metrik' is not one of"),
    ],
)
def test_a_name_that_cannot_be_imported_is_refused(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plugin", "new", *arguments]) == 2

    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/mine.py").write_text("mine")

    assert run(["plugin", "new", "metric", "mine"]) == 2

    assert "evals/mine.py is there already" in capsys.readouterr().err
    assert (tmp_path / "evals/mine.py").read_text() == "mine"


def test_keys_of_the_plugin_are_given_as_they_stand_in_its_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plugin", "new", "metric", "mine"]) == 0

    assert run(["plugin", "check", "evals/mine.py", "--settings", "words = ['days']"]) == 0
    assert run(["plugin", "check", "evals/mine.py", "--settings", "word = ['days']"]) == 2
    assert "unknown key 'word'; did you mean 'words'" in capsys.readouterr().out
    assert run(["plugin", "check", "evals/mine.py", "--settings", "words ="]) == 2
    assert "is no TOML" in capsys.readouterr().err


def test_a_broken_contract_is_told_and_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plugin", "new", "metric", "mine"]) == 0
    path = tmp_path / "evals/mine.py"
    path.write_text(path.read_text().replace("float(any(", "2 * float(not any("))

    assert run(["plugin", "check", "evals/mine.py"]) == 2

    said = capsys.readouterr().out
    assert "no  it gives a score in its range for every output" in said
    assert "2.0, outside of 0 to 1" in said
    assert f"1 demand of 4 not kept: {MANUAL}/plugins.md" in said
