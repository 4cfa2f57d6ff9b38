"""The command system: one long-lived process that answers JSON lines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragate.errors import ConfigError, SystemStartError
from ragate.models import Turn
from tests.factories import sample_factory
from tests.unit.systems.commands import answers, program
from tests.unit.systems.using import ask, message


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


def test_a_hang_costs_one_sample_and_the_process_is_exchanged(tmp_path: Path):
    body = "if query == 'b': time.sleep(60)"

    outputs = answers(tmp_path, program(tmp_path, body), ["a", "b", "c"], timeout_s=5.0)

    assert [output.answer for output in outputs] == ["a", None, "c"]
    assert "no output within 5 s" in message(outputs[1])


def test_samples_that_wait_for_their_turn_do_not_run_out_of_time(tmp_path: Path):
    queries = list("abcdefgh")
    slow = program(tmp_path, "time.sleep(0.5)")

    outputs = answers(tmp_path, slow, queries, timeout_s=3.5, concurrency=8)

    assert [output.answer for output in outputs] == queries


@pytest.mark.parametrize(
    ("code", "within_s", "told"),
    [
        ("import time; time.sleep(60)", 0.5, "wrote no line within 0.5 s of its start"),
        ("raise SystemExit('no index')", 60.0, "ended with exit code 1; it last wrote: no index"),
        ("print('Loading')", 60.0, "is no JSON object: Loading"),
    ],
)
def test_a_command_that_does_not_get_ready_is_no_decision(
    tmp_path: Path, code: str, within_s: float, told: str
):
    settings = {"ready": True, "start_timeout_s": within_s}

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


def test_earlier_turns_stand_in_the_line_only_where_there_are_any(tmp_path: Path):
    command = program(tmp_path, reply='{"answer": str(request.get("messages"))}')
    turn = Turn(role="user", content="Hi")
    samples = [sample_factory("q1"), sample_factory("q2", messages=(turn,))]

    outputs = ask("command", {"command": command}, tmp_path, samples=samples)

    assert [output.answer for output in outputs] == [
        "None",
        "[{'role': 'user', 'content': 'Hi'}]",
    ]


def test_a_program_that_is_gone_meanwhile_leaves_its_samples_unmeasured(tmp_path: Path):
    (tmp_path / "rag").symlink_to(sys.executable)
    command = ["./rag", *program(tmp_path, "os.remove('rag'); os._exit(1)")[1:]]

    outputs = answers(tmp_path, command, ["a", "b"])

    assert [output.error.kind for output in outputs if output.error] == ["provider", "provider"]
    assert "'./rag' cannot be started" in str(outputs[1].error)


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "\\ud83d"}',
        '{"answer": "x", "contexts": ["cut in \\udfff"]}',
        '{"error": "\\ud800"}',
    ],
)
def test_half_a_character_fails_its_sample_and_no_other(tmp_path: Path, reply: str):
    body = f"if query == 'b': print({reply!r}, flush=True); continue"

    outputs = answers(tmp_path, program(tmp_path, body), ["a", "b", "c"])

    assert [output.answer for output in outputs] == ["a", None, "c"]
    assert "text that is no Unicode" in message(outputs[1])
