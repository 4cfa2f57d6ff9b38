"""`ragate baseline merge --install`: git's configuration of one clone, and `.gitattributes`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.merge.branches import CONFIG, Repository

pytestmark = pytest.mark.integration


def attributes(repository: Repository) -> str:
    return (repository.root / ".gitattributes").read_text()


def test_git_is_told_in_this_clone_and_the_pattern_fits_the_baseline(
    bare: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["baseline", "merge", "--install"]) == 0

    driver = bare.git("config", "--local", "merge.ragate-baseline.driver").stdout
    assert f"{sys.executable} -P -m ragate baseline merge %O %A %B %P" in driver
    told = bare.git("check-attr", "merge", bare.baseline, "baselines/other.json").stdout
    assert "docs.json: merge: ragate-baseline" in told
    assert "other.json: merge: unspecified" in told
    shown = capsys.readouterr().out
    assert "commit it" in shown
    assert "every clone has to be told" in shown


def test_a_second_time_changes_nothing_and_other_lines_stay(bare: Repository) -> None:
    (bare.root / ".gitattributes").write_text("*.md text")

    run(["baseline", "merge", "--install"])
    once = attributes(bare)
    run(["baseline", "merge", "--install"])

    assert once.startswith("*.md text\n/baselines/docs.json merge=ragate-baseline\n")
    assert attributes(bare) == once


@pytest.mark.parametrize("name", ["my base/d o.json", "a[1]/*.json", 'q"u/ü.json', "#a.json"])
def test_any_name_is_a_pattern_of_that_file_alone(bare: Repository, name: str) -> None:
    config = bare.root / "ragate.toml"
    config.write_text(CONFIG.format(baseline=name.replace('"', '\\"')))

    assert run(["baseline", "merge", "--install"]) == 0

    told = bare.git("check-attr", "-z", "merge", name, "a1/x.json", "baselines/docs.json").stdout
    assert told.split("\0")[2::3] == ["ragate-baseline", "unspecified", "unspecified"]


def test_a_gate_in_a_folder_is_named_from_the_top(bare: Repository) -> None:
    (bare.root / "gates").mkdir()
    (bare.root / "gates/ragate.toml").write_text(CONFIG.format(baseline="b.json"))

    assert run(["baseline", "merge", "--install", "--config", "gates/ragate.toml"]) == 0

    assert "/gates/b.json merge=ragate-baseline" in attributes(bare)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[policy", "ragate.toml"),
        ("[policy]\n", "[policy] baseline names no file"),
        ("policy = 3\n", "[policy] baseline names no file"),
        ('[policy]\nbaseline = "../../b.json"\n', "outside"),
    ],
)
def test_a_configuration_without_a_baseline_is_refused(
    bare: Repository, capsys: pytest.CaptureFixture[str], text: str, named: str
) -> None:
    (bare.root / "ragate.toml").write_text(text)

    assert run(["baseline", "merge", "--install"]) == 2

    assert named in capsys.readouterr().err
    assert not (bare.root / ".gitattributes").exists()


def test_no_repository_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ragate.toml").write_text(CONFIG.format(baseline="b.json"))
    monkeypatch.chdir(tmp_path)

    assert run(["baseline", "merge", "--install"]) == 2

    assert "no git repository" in capsys.readouterr().err


def test_a_link_out_of_the_repository_is_not_written_through(
    bare: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("")
    (bare.root / ".gitattributes").symlink_to(outside)

    assert run(["baseline", "merge", "--install"]) == 2

    assert outside.read_text() == ""
    assert "outside" in capsys.readouterr().err
