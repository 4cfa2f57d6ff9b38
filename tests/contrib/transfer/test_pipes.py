"""An index on a pipe: whatever carries the bytes, all of them arrive, or nothing is changed."""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.contrib.transfer import index_file, streams
from tests.contrib.transfer.test_index import HYBRID, configure, made, project

__all__ = ["project"]
pytestmark = pytest.mark.integration
RAGATE = f"{shlex.quote(sys.executable)} -m ragate"


def shell(script: str) -> subprocess.CompletedProcess[bytes]:
    """Run a script whose `ragate` is this one; the code of each part of a pipe counts."""
    whole = f'set -o pipefail\nragate() {{ {RAGATE} "$@"; }}\n{script}'
    return subprocess.run(
        ["bash", "-c", whole],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


def nothing_is_ingested(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["ingest"]) == 0
    assert "ingested" not in capsys.readouterr().err


def test_what_comes_out_of_the_pipe_is_the_file_and_nothing_else(project: Path) -> None:
    assert run(["index", "dump", "index.gz"]) == 0
    done = shell("ragate index dump -")

    assert done.returncode == 0, done.stderr
    assert done.stdout == (project / "index.gz").read_bytes()
    assert b"8 documents, 8 chunks and 8 vectors written to standard output" in done.stderr


def test_one_machine_feeds_another_through_any_program(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = made(tmp_path / "two", monkeypatch)
    there = f"cd {shlex.quote(str(other))} && RAGATE_STATE_DIR=.ragate"

    done = shell(
        f"cd {shlex.quote(str(project))}\n"
        "ragate index dump - | split --filter='cat' --bytes=1000 | "
        f"({there} ragate index restore -)"
    )

    assert done.returncode == 0, done.stderr
    assert b"8 documents and 8 chunks restored from standard input" in done.stdout
    nothing_is_ingested(capsys)


def test_a_reader_that_goes_away_is_an_error_and_the_index_stays(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # More than a pipe holds, so that the reader's end is met while there is more to write.
    for number in range(60):
        words = " ".join(os.urandom(4).hex() for _ in range(400))
        (project / f"docs/more-{number}.md").write_text(f"# Page {number}\n\n{words}\n")

    done = shell("ragate index dump - | head -c 10 >/dev/null; echo ${PIPESTATUS[0]}")

    assert done.stdout.split() == [b"3"], done.stderr
    assert b"standard output: its reader has gone before the index was written whole" in done.stderr
    nothing_is_ingested(capsys)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("head -c 700 index.gz", "standard input: no sound index file"),
        ("true", "standard input: not a byte came in"),
        ("echo upload failed", "standard input: no sound index file"),
        ("(cat index.gz; echo more)", "standard input: no sound index file"),
    ],
)
def test_a_stream_that_breaks_off_changes_nothing(
    project: Path,
    source: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["index", "dump", "index.gz"]) == 0

    with subprocess.Popen(["bash", "-c", source], stdout=subprocess.PIPE, text=True) as sender:
        monkeypatch.setattr(sys, "stdin", sender.stdout)
        code = run(["index", "restore", "-"])

    said = capsys.readouterr().err
    assert code == 3
    assert message in said
    assert "the index" in said.partition("->")[2]
    nothing_is_ingested(capsys)


def test_a_stream_without_end_is_ended(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read, write = os.pipe()
    with os.fdopen(write, "wb") as into:
        into.write(gzip.compress(b"") * 100)  # members that hold nothing
    monkeypatch.setattr(streams, "MAX_FILE", 1000)
    with os.fdopen(read) as coming:
        monkeypatch.setattr(sys, "stdin", coming)
        assert run(["index", "restore", "-"]) == 3

    assert index_file.MAX_FILE > 1000
    assert "larger than any index may be" in capsys.readouterr().err


def test_a_full_disk_behind_the_pipe_is_told(project: Path) -> None:
    done = shell("ragate index dump - > /dev/full")

    assert done.returncode == 3
    assert b"standard output: cannot write the index: No space left on device" in done.stderr


def test_without_vectors_another_model_makes_them(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["index", "dump", "whole.gz"]) == 0
    assert run(["index", "dump", "--tables", "texts", "texts.gz"]) == 0
    assert "8 documents, 8 chunks and 0 vectors written to texts.gz" in capsys.readouterr().out
    other = made(tmp_path / "two", monkeypatch)
    configure(other, HYBRID.replace("64", "32"))

    assert run(["index", "restore", f"{project}/whole.gz"]) != 0
    assert "made with another embedder or model" in capsys.readouterr().err
    done = shell(f"ragate index restore - < {project}/texts.gz")

    assert b"8 documents and 8 chunks restored from standard input" in done.stdout
    nothing_is_ingested(capsys)
    assert run(["index", "dump", "again.gz"]) == 0
    assert b'"dimension":32' in gzip.decompress(Path("again.gz").read_bytes()).partition(b"\n")[0]


def test_texts_that_were_cut_otherwise_are_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["index", "dump", "--tables", "texts", "texts.gz"]) == 0
    configure(project, f"{HYBRID}markdown = false\n")

    assert run(["index", "restore", "texts.gz"]) == 2
    assert "made with other keys of chunking" in capsys.readouterr().err
