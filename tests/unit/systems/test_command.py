"""The command system: one long-lived process that answers JSON lines."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError, SystemStartError
from ragate.models import SystemOutput
from tests.factories import sample_factory
from tests.unit.systems.using import ask, asked, message, resources_of

LOOP = """
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    query = request["query"]
    {body}
    print(json.dumps({reply}), flush=True)
"""
ECHO = '{"answer": query}'


def program(root: Path, body: str = "pass", reply: str = ECHO, *, first: str = "") -> list[str]:
    """Write a script that answers and return how to start it."""
    path = root / "rag.py"
    path.write_text(f"{first}\n{LOOP.format(body=body, reply=reply)}")
    return [sys.executable, "rag.py"]


def answers(
    root: Path, command: list[str], queries: list[str], *, timeout_s: float = 20.0, **more: Any
) -> list[SystemOutput]:
    settings = more.pop("settings", {})
    samples = [sample_factory(f"q{n}", query=query) for n, query in enumerate(queries)]
    return ask(
        "command",
        {"command": command, **settings},
        root,
        samples=samples,
        timeout_s=timeout_s,
        **more,
    )


def gone(pid: int) -> bool:
    """Whether a process has ended, within a second."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text().split(") ")[1].startswith("Z"):
            return True
        time.sleep(0.01)
    return False


def test_one_process_answers_all_questions(tmp_path: Path):
    reply = '{"answer": query, "chunks": [{"doc_id": str(os.getpid())}]}'

    outputs = answers(tmp_path, program(tmp_path, reply=reply), ["a", "b", "ü\\n"])

    assert [output.answer for output in outputs] == ["a", "b", "ü\\n"]
    assert len({output.chunks[0].doc_id for output in outputs}) == 1


def test_a_request_holds_the_question_and_never_what_is_expected(tmp_path: Path):
    reply = '{"answer": json.dumps(request)}'
    samples = [sample_factory("q1", query="What?", metadata={"lang": "en"})]

    output = ask("command", {"command": program(tmp_path, reply=reply)}, tmp_path, samples=samples)

    assert output[0].answer == '{"id": "q1", "query": "What?", "metadata": {"lang": "en"}}'


def test_a_crash_starts_the_process_again_and_asks_once_more(tmp_path: Path):
    body = "open('seen', 'a').write('x')\n    if len(open('seen').read()) == 2: os._exit(7)"

    outputs = answers(tmp_path, program(tmp_path, body), ["a", "b", "c"])

    assert [output.answer for output in outputs] == ["a", "b", "c"]


def test_a_question_that_always_crashes_costs_only_itself(tmp_path: Path):
    body = "if query == 'b': print('no memory', file=sys.stderr, flush=True); os._exit(7)"

    outputs = answers(tmp_path, program(tmp_path, body), ["a", "b", "c"])

    assert [output.answer for output in outputs] == ["a", None, "c"]
    assert "ended with exit code 7; it last wrote: no memory" in message(outputs[1])


def test_a_command_that_never_answers_is_not_started_for_ever(tmp_path: Path):
    command = [sys.executable, "-c", "open('starts', 'a').write('x'); raise SystemExit('no index')"]

    outputs = answers(tmp_path, command, [str(number) for number in range(20)])

    assert "it last wrote: no index" in message(outputs[0])
    assert "not asked, after 5 failures in a row" in message(outputs[19])
    assert len((tmp_path / "starts").read_text()) == 5


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("Loading the model", "is no JSON object: Loading the model"),
        ("[1, 2]", "is no JSON object: [1, 2]"),
        ("\\x1b[31m" + "g" * 500, "is no JSON object: " + "g" * 199 + "…"),
        ('{"id": "other", "answer": "x"}', "a reply to no question that was asked"),
    ],
)
def test_garbage_on_the_output_is_shown_and_costs_one_sample(
    tmp_path: Path, printed: str, told: str
):
    body = f"if query == 'b': print({printed!r}, flush=True)".replace("\\\\x1b", "\\x1b")

    outputs = answers(tmp_path, program(tmp_path, body), ["a", "b", "c"])

    assert [output.answer for output in outputs] == ["a", None, "c"]
    assert told in message(outputs[1])


def test_a_reply_with_a_wrong_field_names_it(tmp_path: Path):
    outputs = answers(tmp_path, program(tmp_path, reply='{"answr": query}'), ["a"])

    assert "unknown field 'answr'; did you mean 'answer'?" in message(outputs[0])


def test_a_hang_costs_one_sample_and_the_process_is_exchanged(tmp_path: Path):
    body = "if query == 'b': time.sleep(60)"

    outputs = answers(tmp_path, program(tmp_path, body), ["a", "b", "c"], timeout_s=1.0)

    assert [output.answer for output in outputs] == ["a", None, "c"]
    assert "no output within 1 s" in message(outputs[1])


def test_samples_that_wait_for_their_turn_do_not_run_out_of_time(tmp_path: Path):
    outputs = answers(
        tmp_path, program(tmp_path, "time.sleep(0.3)"), list("abcdef"), timeout_s=1.0, concurrency=6
    )

    assert [output.answer for output in outputs] == list("abcdef")


# Each question waits for the other seven: asked one after the other, none is ever answered.
PARALLEL = """
import json, sys, threading
all_at_once = threading.Barrier(8, timeout=60)
def work(request):
    all_at_once.wait()
    line = json.dumps({"id": request["id"], "answer": request["query"]})
    print(line + "\\n", end="", flush=True)
for line in sys.stdin:
    threading.Thread(target=work, args=(json.loads(line),)).start()
"""


def test_in_parallel_replies_find_their_question_by_id(tmp_path: Path):
    outputs = answers(
        tmp_path,
        [sys.executable, "-c", PARALLEL],
        list("abcdefgh"),
        concurrency=8,
        settings={"parallel": True},
    )

    assert [output.answer for output in outputs] == list("abcdefgh")


def test_in_parallel_a_crash_counts_once(tmp_path: Path):
    crash = "import os\nif not os.path.exists('x'):\n    open('x', 'w'); input(); os._exit(3)\n"

    outputs = answers(
        tmp_path,
        [sys.executable, "-c", crash + PARALLEL],
        list("abcdefgh"),
        concurrency=8,
        settings={"parallel": True},
    )

    assert [output.answer for output in outputs] == list("abcdefgh")


def test_in_parallel_a_reply_needs_an_id(tmp_path: Path):
    outputs = answers(tmp_path, program(tmp_path), ["a"], settings={"parallel": True})

    assert "a reply without an id, with parallel = true" in message(outputs[0])


def test_the_first_line_says_that_it_is_ready(tmp_path: Path):
    first = "import time; time.sleep(0.5); print('{\"ready\": true}', flush=True)"

    outputs = answers(
        tmp_path, program(tmp_path, first=first), ["a"], timeout_s=0.4, settings={"ready": True}
    )

    assert outputs[0].answer == "a"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import time; time.sleep(60)", "wrote no line within 0.5 s of its start"),
        ("raise SystemExit('no index')", "ended with exit code 1; it last wrote: no index"),
        ("print('Loading')", "is no JSON object: Loading"),
    ],
)
def test_a_command_that_does_not_get_ready_is_no_decision(tmp_path: Path, code: str, told: str):
    settings = {"ready": True, "start_timeout_s": 0.5}

    with pytest.raises(SystemStartError) as raised:
        answers(tmp_path, [sys.executable, "-c", code], ["a"], settings=settings)

    assert told in str(raised.value)
    assert raised.value.exit_code == 3


def test_a_program_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(SystemStartError, match="'no-such-program' cannot be started: No such file"):
        answers(tmp_path, ["no-such-program"], ["a"])


def test_no_shell_reads_the_command(tmp_path: Path):
    answers(tmp_path, [*program(tmp_path), "; touch hit", "$(touch hit)"], ["a"])

    assert not (tmp_path / "hit").exists()


def test_a_command_is_a_list(tmp_path: Path):
    with pytest.raises(ConfigError, match="command"):
        ask("command", {"command": "python rag.py"}, tmp_path)


def test_the_process_and_its_children_end_with_the_run(tmp_path: Path):
    first = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'])\n"
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    )
    command = program(tmp_path, reply='{"answer": str(child.pid)}', first=first)

    outputs = answers(tmp_path, command, ["a"])

    assert gone(int(outputs[0].answer or 0))


def test_a_run_that_is_interrupted_leaves_no_process(tmp_path: Path):
    body = "open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    settings = {"command": program(tmp_path, body)}

    async def interrupted() -> None:
        run = asked("command", settings, resources_of(tmp_path), [sample_factory()])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run, 1.0)

    asyncio.run(interrupted())

    assert gone(int((tmp_path / "pid").read_text()))


def test_the_command_gets_no_key_of_the_policy_unless_it_is_passed(tmp_path: Path):
    reply = '{"answer": os.environ.get("API_KEY", "none") + os.environ.get("OTHER", "none")}'
    environment = {**os.environ, "API_KEY": "secret", "OTHER": "plain"}
    given: dict[str, Any] = {"environment": environment, "key_names": frozenset({"API_KEY"})}
    command = program(tmp_path, reply=reply)

    without = answers(tmp_path, command, ["a"], **given)
    passed = answers(tmp_path, command, ["a"], settings={"pass_env": ["API_KEY"]}, **given)

    assert (without[0].answer, passed[0].answer) == ("noneplain", "secretplain")


def test_a_chatty_error_output_blocks_nobody(tmp_path: Path):
    body = "sys.stderr.write('x' * 300_000)"

    assert answers(tmp_path, program(tmp_path, body), ["a"])[0].answer == "a"


def test_a_long_answer_comes_whole(tmp_path: Path):
    outputs = answers(tmp_path, program(tmp_path, reply='{"answer": query * 3_000_000}'), ["a"])

    assert len(outputs[0].answer or "") == 3_000_000
