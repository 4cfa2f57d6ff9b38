from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cache import CACHE_NAME, Cache, Draw
from ragate.cli.main import run
from ragate.core.hashing import digest

pytestmark = pytest.mark.integration
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["out.jsonl"]
[policy.metrics.token_f1]
[system]
use = "replay"
paths = ["out.jsonl"]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ragate.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(project: Path) -> None:
    with Cache(project / ".ragate" / CACHE_NAME) as cache:
        cache.put_draws({("", digest(n), 0): Draw(text="so") for n in range(3)})
        cache.put_embeddings({digest(0): [1.0]})


def test_info_of_no_cache_makes_none(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cache", "info"]) == 0

    assert "draws: 0" in capsys.readouterr().out
    assert not (project / ".ragate" / CACHE_NAME).exists()


def test_info_counts_the_rows(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(project)

    assert run(["cache", "info"]) == 0

    assert capsys.readouterr().out.splitlines()[1:] == ["verdicts: 0", "draws: 3", "embeddings: 1"]


def test_clear_forgets_one_kind_or_all(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(project)

    assert run(["cache", "clear", "--only", "draws"]) == 0
    assert run(["cache", "clear"]) == 0

    assert capsys.readouterr().out == "3 rows forgotten\n1 rows forgotten\n"


def test_an_export_can_be_imported(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(project)

    assert run(["cache", "export", "all.jsonl"]) == 0
    assert run(["cache", "clear"]) == 0
    assert run(["cache", "import", "all.jsonl"]) == 0
    assert run(["cache", "info"]) == 0

    assert "draws: 3" in capsys.readouterr().out


def test_what_is_no_export_ends_with_2(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "x.jsonl").write_text('{"a": 1}\n')

    assert run(["cache", "import", "x.jsonl"]) == 2

    assert "not an export" in capsys.readouterr().err


def test_where_nothing_was_asked_an_empty_export_is_written_that_can_be_imported(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["cache", "export", "none.jsonl"]) == 0
    assert not (project / ".ragate" / CACHE_NAME).exists()
    assert run(["cache", "import", "none.jsonl"]) == 0

    assert capsys.readouterr().out == (
        "0 rows written to none.jsonl\n0 rows read from none.jsonl\n"
    )
