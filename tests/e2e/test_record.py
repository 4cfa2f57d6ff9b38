"""`ragate record` around a plain script, and a fork's way from no key to a verdict."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.container_rights import AS_IN_A_CONTAINER, LOOKS_INTO_PROCESSES
from tests.e2e.command import CLEAN, RAGATE, ragate, start
from tests.integration.recorded_project import KEY, RecordedProject
from tests.servers.openai_server import FakeOpenAI, never_the_same, openai_server

pytestmark = pytest.mark.e2e
SCRIPT = """
import json, os, sys, urllib.request

def ask(content):  # what the package `openai` sends, without the second that its import takes
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": content}]}
    key = os.environ["OPENAI_API_KEY"]
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]

lines = []
for row in map(json.loads, open("golden.jsonl")):
    text = open("passages/" + row["id"][1:] + ".md").read()
    try:
        answer = ask(text + row["query"])
    except OSError as error:
        print(type(error).__name__, file=sys.stderr)
        continue
    lines.append(json.dumps({"id": row["id"], "answer": answer, "contexts": [text]}))
open("outputs.jsonl", "w").write("\\n".join(lines))
print("written")
"""
KEYED = {"TEST_OPENAI_KEY": KEY}
RUN = ("--", sys.executable, "script.py")


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.reply = never_the_same()
        yield fake


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI) -> RecordedProject:
    made = RecordedProject(tmp_path, server.base_url)
    (tmp_path / "script.py").write_text(SCRIPT)
    return made


def test_a_script_is_recorded_and_repeats_without_key_or_provider(project, server):
    first = ragate(project.root, "record", "--save", *RUN, env=KEYED)
    text = (project.root / "outputs.jsonl").read_text()
    (project.root / ".ragate" / "cache.sqlite").unlink()
    again = ragate(project.root, "record", *RUN)

    assert first.returncode == again.returncode == 0, first.stderr + again.stderr
    assert first.stdout == again.stdout == "written\n"
    assert "6 model calls forwarded, 0 replayed, 0 pending; cost $" in first.stderr
    assert "0 model calls forwarded, 6 replayed, 0 pending" in again.stderr
    assert (project.root / "outputs.jsonl").read_text() == text
    assert server.seen == 6


@LOOKS_INTO_PROCESSES
def test_a_recorded_command_cannot_read_the_keys_of_the_process_that_records_it(project):
    look = (
        "import os\nfor name in ('environ', 'mem', 'maps'):\n"
        "    try: open(f'/proc/{os.getppid()}/{name}', 'rb').read(1)\n"
        "    except OSError: continue\n"
        "    print('read', name)"
    )

    done = subprocess.run(
        [*AS_IN_A_CONTAINER, RAGATE, "record", "--", sys.executable, "-c", look],
        cwd=project.root,
        env={**CLEAN, **KEYED},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_a_second_draw_is_another_answer_and_both_are_kept(project, server):
    texts = []
    for _ in range(2):
        for run in ("0", "1"):
            done = ragate(project.root, "record", "--run", run, "--save", *RUN, env=KEYED)
            assert done.returncode == 0, done.stderr
            texts.append((project.root / "outputs.jsonl").read_text())

    assert texts[0] == texts[2] != texts[1] == texts[3]
    assert server.seen == 12


def test_a_fork_gets_its_verdict_in_two_jobs(project, server):
    assert ragate(project.root, "record", "--save", *RUN, env=KEYED).returncode == 0
    project.edit(2)
    fork = ragate(project.root, "record", *RUN)
    fulfilled = ragate(project.root, "record", "fulfil", ".ragate/pending.jsonl", env=KEYED)
    again = ragate(project.root, "record", *RUN)

    assert fork.returncode == 3
    assert "4 replayed, 2 pending" in fork.stderr
    assert "ragate record fulfil" in fork.stderr
    assert fulfilled.returncode == 0, fulfilled.stdout + fulfilled.stderr
    assert "2 requests answered, 0 known already, 0 refused, 0 failed" in fulfilled.stdout
    assert again.returncode == 0
    assert not (project.root / ".ragate" / "pending.jsonl").exists()
    assert server.seen == 8


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("record", "--", "no-such-program"), 2, "cannot be started"),
        (("record",), 2, "Usage"),
        (("record", "--run", "-1", "--", "true"), 2, "--run"),
        (("record", "--provider", "other", "--", "true"), 2, "not in [policy.providers]"),
        (("record", "--", sys.executable, "-c", "raise SystemExit(1)"), 3, "exit code 1"),
        (("record", "--", sys.executable, "-c", "import os; os.abort()"), 3, "signal 6"),
        (("record", "--fresh", "--offline", "--", "true"), 3, "fresh answers are wanted"),
        (("record", "fulfil", "none.jsonl"), 2, "no such file"),
        (("record", "fulfil", "golden.jsonl"), 2, "no pending requests of this version"),
    ],
)
def test_every_end_has_its_code_and_its_words(project, arguments, code, says):
    done = ragate(project.root, *arguments)

    assert done.returncode == code, done.stderr
    assert says in done.stderr + done.stdout


def test_the_command_sees_the_recorder_and_no_key(project):
    code = "import os; print(os.environ['OPENAI_BASE_URL'], 'TEST_OPENAI_KEY' in os.environ)"
    done = ragate(project.root, "record", "--", sys.executable, "-c", code, env=KEYED)

    address, has_key = done.stdout.split()
    assert address.startswith("http://127.0.0.1:")
    assert has_key == "False"


def test_an_interrupted_command_is_ended(project):
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with start(project.root, "record", "--", sys.executable, "-c", code) as running:
        assert running.stdout is not None
        child = int(running.stdout.readline())
        running.send_signal(signal.SIGTERM)

        assert running.wait(240) == 130
    for _ in range(600):
        if not Path(f"/proc/{child}").exists():
            break
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_gate_with_recorded_calls_from_the_command_line(project, server):
    env = {"PATH": CLEAN["PATH"], **KEYED}
    recorded = ragate(project.root, "baseline", "update", env=env)
    asked = server.seen
    free = ragate(project.root, "check")
    project.edit(1)
    without = ragate(project.root, "check")
    one = ragate(project.root, "check", env=KEYED)

    assert recorded.returncode == 0, recorded.stderr
    assert (project.root / "baselines/gate.requests.jsonl.gz").is_file()
    assert free.returncode == 0, free.stdout
    assert asked == 18
    assert "1 model requests are not recorded" in without.stderr
    assert without.returncode != 1
    assert server.seen == asked + 1
    assert one.returncode != 3, one.stdout
