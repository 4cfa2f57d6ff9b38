"""Only a verdict ends with 1: no native library, no crash and no unforeseen exception does."""

from __future__ import annotations

import pytest

from tests.e2e.ending_commands import ended

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("code", [0, 1, 2, 3, 130])
def test_the_code_that_a_command_returns_is_the_process_own(code: int):
    assert ended(code=code).returncode == code


@pytest.mark.parametrize("code", [0, 1])
def test_a_native_library_that_calls_exit_decides_nothing(code: int):
    assert ended(f"ctypes.CDLL(None).exit({code})").returncode == 3


@pytest.mark.parametrize("code", [0, 1])
def test_an_exit_while_python_ends_changes_no_verdict(code: int):
    body = "import atexit; atexit.register(ctypes.CDLL(None).exit, 2)"

    assert ended(body, code=code).returncode == code


@pytest.mark.parametrize("body", ["raise ValueError", "sys.exit(1)", "sys.exit(0)"])
def test_what_leaves_the_frame_without_a_code_is_no_decision(body: str):
    assert ended(body).returncode == 3


def test_what_was_printed_is_there_after_the_end():
    assert ended("print('words', end='')").stdout == "words"
