"""Calling code of the project, side by side where it may."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from ragate.errors import ConfigError
from tests.factories import sample_factory
from tests.unit.systems.using import ask, message, module


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise ValueError('no index')", "ValueError: no index"),
        ("raise StopIteration", "StopIteration"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("raise ValueError('\\x1b[31m' + 'a' * 9999)", "ValueError: aaa"),
    ],
)
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_an_exception_is_the_failure_of_its_sample_alone(
    tmp_path: Path, code: str, told: str, kind: str
):
    target = module(tmp_path, f"{kind} answer(query):\n    if '2' in query: {code}\n    return 'x'")
    samples = [sample_factory(f"q{number}") for number in (1, 2, 3)]

    outputs = ask("python", {"target": f"{target}:answer"}, tmp_path, samples=samples)

    assert [output.answer for output in outputs] == ["x", None, "x"]
    assert told in message(outputs[1])
    assert len(message(outputs[1])) <= 2000


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_method_of_what_a_function_makes_is_asked(tmp_path: Path, kind: str):
    code = (
        "class Rag:\n    def __init__(self, name): self.name = name\n"
        "    async def run(self, query): return f'{self.name}: {query}'\n"
        f"made = []\n{kind} build():\n    made.append(1)\n    return Rag(f'made {{len(made)}}')"
    )
    target = {"target": f"{module(tmp_path, code)}:build().run"}

    outputs = ask("python", target, tmp_path, samples=[sample_factory("q1"), sample_factory("q2")])

    assert [str(output.answer)[:7] for output in outputs] == ["made 1:"] * 2


def test_a_function_that_takes_the_earlier_turns_twice_is_refused_before_the_first_question(
    tmp_path: Path,
):
    target = {"target": f"{module(tmp_path, 'def chat(question, history, messages): ...')}:chat"}

    with pytest.raises(ConfigError, match="missing a required argument: 'history'"):
        ask("python", target, tmp_path)


def test_a_method_of_what_a_method_makes_is_asked(tmp_path: Path):
    code = (
        "class Rag:\n    def run(self, query): return 'made'\n"
        "class Shop:\n    def build(self): return Rag()\n"
    )

    (output,) = ask("python", {"target": f"{module(tmp_path, code)}:Shop.build().run"}, tmp_path)

    assert output.answer == "made"


@pytest.mark.parametrize("name", ["KeyboardInterrupt", "GeneratorExit"])
def test_what_would_end_a_thread_is_told_at_once(tmp_path: Path, name: str):
    target = module(tmp_path, f"def answer(query): raise {name}('by hand')")

    (output,) = ask("python", {"target": f"{target}:answer"}, tmp_path)

    assert f"{name}: by hand" in message(output)


@pytest.mark.parametrize("kind", ["Exception", "BaseException"])
@pytest.mark.parametrize("where", ["def answer(query): raise E", "raise E"])
def test_an_exception_that_cannot_say_anything_is_told_at_once(
    tmp_path: Path, kind: str, where: str
):
    code = f"class E({kind}):\n    def __str__(self): raise SystemExit\n{where}\n"
    asks = partial(ask, "python", {"target": f"{module(tmp_path, code)}:answer"}, tmp_path)

    if where == "raise E":
        with pytest.raises(ConfigError, match="its text cannot be had"):
            asks()
    else:
        assert "its text cannot be had" in message(asks()[0])


def test_sync_functions_run_side_by_side(tmp_path: Path):
    # Each call waits for the other seven: one after the other, all would end in an error.
    code = (
        "import threading\nall_at_once = threading.Barrier(8, timeout=60)\n"
        "def answer(query):\n    all_at_once.wait()\n    return 'x'"
    )
    samples = [sample_factory(f"q{number}") for number in range(8)]

    target = {"target": f"{module(tmp_path, code)}:answer"}
    outputs = ask("python", target, tmp_path, samples=samples, concurrency=8)

    assert [output.answer for output in outputs] == ["x"] * 8


def test_a_function_that_hangs_costs_its_own_sample_only(tmp_path: Path):
    code = "import time\ndef answer(q):\n    time.sleep(60 if 'q1' in q else 0)\n    return 'x'"
    target = f"{module(tmp_path, code)}:answer"
    samples = [sample_factory("q1"), sample_factory("q2")]

    outputs = ask(
        "python", {"target": target}, tmp_path, samples=samples, timeout_s=5, concurrency=1
    )

    assert "no output within 5 s" in message(outputs[0])
    assert outputs[1].answer == "x"


RUNS_ITSELF = """
import asyncio
async def later(query): return query.upper()
def answer(query):
    return asyncio.get_event_loop().run_until_complete(later(query))
"""


def test_a_function_finds_an_event_loop_in_its_thread(tmp_path: Path):
    target = {"target": f"{module(tmp_path, RUNS_ITSELF)}:answer"}
    samples = [sample_factory(f"q{number}", query=f"q{number}") for number in (1, 2)]

    outputs = ask("python", target, tmp_path, samples=samples)

    assert [output.answer for output in outputs] == ["Q1", "Q2"]
