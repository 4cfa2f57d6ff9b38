"""Questions and replies over the pipes of a process."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from ragate.systems._output import OutputError
from ragate.systems._talk import MAX_FAILURES, EndedError, Expected, GivenUpError, Lives
from tests.unit.systems.commands import answers, program
from tests.unit.systems.using import message


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


def test_a_reply_that_is_no_output_ends_a_row_of_failures() -> None:
    async def run() -> list[type[Exception]]:
        async def start() -> Child:
            return Child()

        lives, told = Lives(start), list[type[Exception]]()
        for number in range(4 * MAX_FAILURES):
            error = OutputError("no output") if number % 2 else EndedError("ended")

            async def ask(_child: Child, error: Exception = error) -> None:
                raise error

            try:
                await lives.ask(ask)
            except (OutputError, EndedError, GivenUpError) as raised:
                told.append(type(raised))
        return told

    assert asyncio.run(run()) == [EndedError, OutputError] * (2 * MAX_FAILURES)


class Child:
    async def close(self) -> None: ...


def test_in_parallel_a_reply_needs_an_id(tmp_path: Path):
    outputs = answers(tmp_path, program(tmp_path), ["a"], settings={"parallel": True})

    assert "a reply without an id, with parallel = true" in message(outputs[0])


def test_the_first_line_says_that_it_is_ready(tmp_path: Path):
    first = "import time; time.sleep(2.5); print('{\"ready\": true}', flush=True)"

    outputs = answers(
        tmp_path, program(tmp_path, first=first), ["a"], timeout_s=2.0, settings={"ready": True}
    )

    assert outputs[0].answer == "a"


def test_a_chatty_error_output_blocks_nobody(tmp_path: Path):
    body = "sys.stderr.write('x' * 300_000)"

    assert answers(tmp_path, program(tmp_path, body), ["a"])[0].answer == "a"


def test_a_long_answer_comes_whole(tmp_path: Path):
    outputs = answers(tmp_path, program(tmp_path, reply='{"answer": query * 3_000_000}'), ["a"])

    assert len(outputs[0].answer or "") == 3_000_000


def test_an_error_that_comes_when_nobody_waits_any_more_is_not_printed():
    printed: list[dict[str, Any]] = []

    async def abandon() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: printed.append(told))
        expected = Expected()
        with expected.reply("a"):
            expected.give_up(RuntimeError("ended with exit code 1"))

    # A future is freed with its last reference. To collect all garbage here would find that of
    # other tests, and on a busy machine some of it is told.
    asyncio.run(abandon())

    assert printed == []
