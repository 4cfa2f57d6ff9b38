"""Where the report goes never decides: a reader that leaves, a full disk, a closed stream."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.e2e.command import CLEAN, RAGATE, ragate
from tests.projects import ReplayProject, right, write_docs_project

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose gate is red, so that its code is no other's, and was checked once."""
    folder = tmp_path_factory.mktemp("streams")
    made = ReplayProject(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(["baseline", "update"]) == 0
        made.record(lambda n, _: {**right(n, 0), "answer": "Something else."})
        assert run(["check"]) == 1
    return folder


def shell(project: Path, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=project,
        env={**CLEAN, "RAGATE": RAGATE},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "line", ['"$RAGATE" check --format json | true', '"$RAGATE" report | head -n 1']
)
def test_a_reader_that_leaves_changes_neither_code_nor_message(project: Path, line: str):
    done = shell(project, line)

    assert done.returncode == 1
    assert "exit" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("stream", [">&-", "2>&-", "2>/dev/full", ">&- 2>&-"])
def test_a_stream_that_is_closed_or_full_keeps_the_verdict(project: Path, stream: str):
    done = shell(project, f'"$RAGATE" check {stream}')

    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_terminal_of_another_encoding_gets_the_same_report_and_code(project: Path):
    done = shell(project, 'PYTHONIOENCODING=cp1252 "$RAGATE" check >log 2>&1')

    log = (project / "log").read_text("cp1252")
    assert done.returncode == 1
    assert "UnicodeEncodeError" not in log
    assert "token_f1 1 -> 0" in log


def test_a_sign_that_a_stream_cannot_write_is_a_question_mark(project: Path):
    done = shell(project, 'PYTHONIOENCODING=latin-1 "$RAGATE" check --ids "ключ…"')

    assert done.returncode == 2
    assert "????..." in done.stderr


def test_a_report_that_cannot_be_written_is_no_decision_and_says_why(project: Path):
    done = shell(project, '"$RAGATE" check >/dev/full')

    assert done.returncode == 3
    assert "standard output: cannot write: No space left on device" in done.stderr
    assert "bug" not in done.stderr


def test_a_verdict_that_is_green_stays_green(tmp_path: Path):
    good = ReplayProject(tmp_path)
    assert ragate(tmp_path, "baseline", "update").returncode == 0
    good.record(right)

    for stream in (">&-", "2>&-", "2>/dev/full"):
        assert shell(tmp_path, f'"$RAGATE" check {stream}').returncode == 0, stream


def test_a_folder_whose_name_is_not_utf8_is_refused_with_what_to_do(tmp_path: Path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system has UTF-8 names only")
    write_docs_project(folder)

    done = ragate(folder, "check")

    assert done.returncode == 2
    assert "holds bytes that are not UTF-8" in done.stderr
    assert "rename the folder" in done.stderr


CHATTY = """
import os
import subprocess

print("a banner")


def answer(query):
    print("asked", query)
    os.write(1, b"a library in C\\n")
    subprocess.run(["echo", "a program"], check=True)
    return {"answer": "For 30 days [1].", "chunks": [{"doc_id": "a.md", "text": "30 days."}]}
"""


def gate_on(folder: Path, code: str) -> None:
    (folder / "rag.py").write_text(code)
    (folder / "golden.jsonl").write_text('{"id": "q", "query": "How?", "relevant": ["a.md"]}\n')
    (folder / "ragate.toml").write_text(
        '[system]\nuse = "python"\ntarget = "rag:answer"\n[policy]\ndataset = "golden.jsonl"\n'
        'baseline = "main.json"\nsystems = ["python"]\nmetrics = {"recall@5" = {level = "error"}}\n'
    )


def test_what_the_code_of_the_project_prints_is_no_part_of_a_report(tmp_path: Path):
    gate_on(tmp_path, CHATTY)
    assert ragate(tmp_path, "baseline", "update").returncode == 0

    done = ragate(tmp_path, "check", "--format", "json")

    assert json.loads(done.stdout)["decision"]["exit_code"] == 0
    for line in ("a banner", "asked How?", "a library in C", "a program"):
        assert f"| {line}" in done.stderr.splitlines()


LEFT_BEHIND = """
import atexit
import os
import threading
import time


heard = threading.Event()


def go_on():
    while True:
        print("NOISE", flush=True)
        os.write(1, b"RAW NOISE\\n")
        heard.set()
        time.sleep(0.001)


def answer(query):
    threading.Thread(target=go_on, daemon=True).start()
    heard.wait()
    atexit.register(print, "LAST WORDS")
    return {"answer": "For 30 days [1].", "chunks": [{"doc_id": "a.md", "text": "30 days."}]}
"""


def test_what_the_code_leaves_behind_prints_into_no_report(tmp_path: Path):
    gate_on(tmp_path, LEFT_BEHIND)

    done = ragate(tmp_path, "check", "--format", "json")

    assert json.loads(done.stdout)["decision"]["exit_code"] == 3  # there is no baseline
    for words in ("NOISE", "RAW NOISE", "LAST WORDS"):
        assert words in done.stderr
        assert words not in done.stdout
