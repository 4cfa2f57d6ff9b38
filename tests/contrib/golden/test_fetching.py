"""`ragate dataset fetch`: a data set of BEIR by its name, and from an archive that is here."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.contrib.golden import fetching
from ragate.dataset import read_dataset
from tests.servers.serving import ManyServer, serving

FILES = {
    "nfcorpus/corpus.jsonl": '{"_id": "MED-1", "title": "A", "text": "Coffee is studied."}\n',
    "nfcorpus/queries.jsonl": '{"_id": "PLAIN-1", "text": "Is coffee studied?"}\n',
    "nfcorpus/qrels/test.tsv": "query-id\tcorpus-id\tscore\nPLAIN-1\tMED-1\t2\n",
}
FETCH = ["dataset", "fetch", "beir/nfcorpus"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def archive(files: dict[str, str] = FILES, name: str = "nfcorpus.zip") -> str:
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as made:
        for path, text in files.items():
            made.writestr(path, text)
    return name


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    handler = partial(Quiet, directory=str(tmp_path))
    with serving(ManyServer(("127.0.0.1", 0), handler)) as url:
        monkeypatch.setattr(fetching, "ADDRESS", url + "/{name}.zip")
        yield url


def test_an_archive_becomes_a_golden_set_with_its_corpus(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = archive()
    digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()

    assert run([*FETCH, "--file", file]) == 0

    assert f"sha256 {digest} (noted now" in capsys.readouterr().out
    assert Path("beir/nfcorpus.sha256").read_text() == f"{digest}  nfcorpus.zip\n"
    assert Path("beir/nfcorpus/corpus.jsonl").is_file()
    assert [sample.relevant for sample in read_dataset(Path("beir/nfcorpus"))] == [{"MED-1": 2}]


@pytest.mark.integration
def test_it_is_downloaded_by_its_name(served: str) -> None:
    archive()

    assert run(FETCH) == 0

    assert Path("beir/nfcorpus/qrels/test.tsv").is_file()


@pytest.mark.integration
def test_what_cannot_be_downloaded_leaves_nothing(
    served: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(FETCH) == 3

    assert "--file" in capsys.readouterr().err
    assert not Path("beir").exists()


def test_another_archive_under_the_same_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*FETCH, "--file", archive()]) == 0
    Path("beir/nfcorpus").rename("old")
    changed = archive({**FILES, "nfcorpus/queries.jsonl": '{"_id": "PLAIN-1", "text": "?"}\n'})

    assert run([*FETCH, "--file", changed]) == 2

    assert "and must be" in capsys.readouterr().err
    assert not Path("beir/nfcorpus").exists()
    digest = hashlib.sha256(Path(changed).read_bytes()).hexdigest()
    assert run([*FETCH, "--file", changed, "--sha256", digest.upper()]) == 0


def test_only_the_files_of_beir_are_written() -> None:
    strange = {"../evil.jsonl": "x", "nfcorpus/../../corpus.jsonl": "x", "nfcorpus/run.sh": "x"}

    assert run([*FETCH, "--file", archive({**FILES, **strange})]) == 0

    written = {str(path) for path in Path("beir/nfcorpus").rglob("*") if path.is_file()}
    assert {path.removeprefix("beir/") for path in written} == set(FILES)
    assert not Path("beir/evil.jsonl").exists()


@pytest.mark.parametrize("cut", [10, -40])
def test_half_an_archive_is_none(cut: int, capsys: pytest.CaptureFixture[str]) -> None:
    file = Path(archive())
    file.write_bytes(file.read_bytes()[:cut])

    assert run([*FETCH, "--file", str(file)]) == 2

    assert "not a whole archive" in capsys.readouterr().err
    assert not list(Path().glob("beir/*"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("beir/nfcorpos", "did you mean 'nfcorpus'"),
        ("nfcorpus", "is no data set that can be fetched"),
        ("beir/../x", "is no data set that can be fetched"),
    ],
)
def test_a_name_that_is_none_is_refused(
    name: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "fetch", name]) == 2

    assert told in capsys.readouterr().err


def test_an_archive_of_something_else_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*FETCH, "--file", archive({"a/readme.md": "Hello"})]) == 2

    assert "no archive of BEIR" in capsys.readouterr().err


def test_a_folder_that_is_there_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("beir/nfcorpus").mkdir(parents=True)

    assert run([*FETCH, "--file", archive()]) == 2
    assert "is there already" in capsys.readouterr().err
