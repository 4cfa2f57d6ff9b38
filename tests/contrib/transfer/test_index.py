"""``ragate index``: an index as a file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.projects import write_docs_project

pytestmark = pytest.mark.integration
HYBRID = 'retrieval = "hybrid"\nembedder = {use = "hashing", dimensions = 64}\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: PostgresDatabase) -> Path:
    monkeypatch.setenv("RAGATE_DATABASE_URL", database.conninfo())
    return made(tmp_path / "one", monkeypatch)


def made(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root.mkdir(parents=True)
    write_docs_project(root)
    configure(root, HYBRID)
    monkeypatch.chdir(root)
    monkeypatch.setenv("RAGATE_STATE_DIR", str(root / ".ragate"))
    return root


def configure(root: Path, more: str) -> None:
    last = "chunk_overlap = 16\n"
    text = (root / "ragate.toml").read_text().partition(last)[0]
    (root / "ragate.toml").write_text(f"{text}{last}top_k = 5\n{more}")


def test_a_dumped_index_is_restored_elsewhere_and_nothing_is_ingested_again(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "index.gz"
    assert run(["index", "dump", str(file)]) == 0
    assert "8 documents, 8 chunks and 8 vectors written" in capsys.readouterr().out
    assert run(["baseline", "update"]) == 0
    baseline = (project / "baselines/docs.json").read_bytes()

    other = made(tmp_path / "two", monkeypatch)
    (other / "baselines").mkdir()
    (other / "baselines/docs.json").write_bytes(baseline)
    capsys.readouterr()
    assert run(["index", "restore", str(file)]) == 0
    assert "8 documents and 8 chunks restored" in capsys.readouterr().out
    assert run(["check"]) == 0
    assert "ingested" not in capsys.readouterr().err
    assert run(["index", "dump", str(tmp_path / "again.gz")]) == 0
    assert (tmp_path / "again.gz").read_bytes() == file.read_bytes()


def test_what_changed_since_the_dump_is_ingested_by_the_next_run(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "index.gz"
    run(["index", "dump", str(file)])
    (project / "docs/figs.md").write_text("# About figs\n\nNew.\n")
    (project / "docs/kiwis.md").write_text("# About kiwis\n\nNew.\n")

    assert run(["index", "restore", str(file)]) == 0
    assert "2 documents differ from the corpus" in capsys.readouterr().out
    assert run(["ingest"]) == 0
    assert "ingested 9 documents (1 new, 1 changed, 0 gone)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('retrieval = "hybrid"\nembedder = {use = "hashing", dimensions = 32}\n', "embedder"),
        (f"{HYBRID}markdown = false\n", "chunking"),
        (f'{HYBRID}prefix = "none"\n', "prefix"),
        (f'{HYBRID}index = "hnsw"\n', "another kind of index"),
        ("", "embedder"),
    ],
)
def test_an_index_of_another_model_or_of_other_settings_is_refused(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, message: str
) -> None:
    file = tmp_path / "index.gz"
    run(["index", "dump", str(file)])
    configure(project, more)

    assert run(["index", "restore", str(file)]) == 2
    said = capsys.readouterr().err
    assert "made with" in said
    assert message in said


def test_an_index_of_another_corpus_is_refused(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "index.gz"
    run(["index", "dump", str(file)])
    for page in (project / "docs").iterdir():
        page.unlink()
    (project / "docs/other.md").write_text("# Other\n\nText.\n")

    assert run(["index", "restore", str(file)]) == 2
    assert "an index of another corpus" in capsys.readouterr().err


def test_a_damaged_file_leaves_the_index_as_it_was(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "index.gz"
    run(["index", "dump", str(file)])
    rows = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    file.write_bytes(gzip.compress(b"".join(rows[:-2]) + rows[-1]))

    assert run(["index", "restore", str(file)]) == 3
    assert "its checksum is missing or wrong" in capsys.readouterr().err
    assert run(["ingest"]) == 0
    assert "ingested" not in capsys.readouterr().err


def test_a_dump_holds_no_path_of_the_machine(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "index.gz"
    run(["index", "dump", str(file)])

    text = gzip.decompress(file.read_bytes()).decode()
    assert str(project) not in text
    assert json.loads(text.splitlines()[0])["documents"] == 8


def test_a_system_without_an_index_of_ours_is_named(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (project / "ragate.toml").read_text()
    text = text.replace('systems = ["pgvector"]', 'systems = ["replay"]\nreplay_paths = ["o/*"]')
    (project / "ragate.toml").write_text(
        text.partition("[system]")[0] + '[system]\nuse = "replay"\npaths = ["o/*"]\n'
    )

    assert run(["index", "dump", str(tmp_path / "x.gz")]) == 2
    assert "has no index of ours" in capsys.readouterr().err
