"""A word of another tool on the command line is answered with ours."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from ragate.cli.other_words import COMMANDS, OPTIONS


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_another_tool_is_answered_with_ours(option, capsys):
    assert run(["check", option, "x"]) == 2
    assert f"{option} is called otherwise here: {OPTIONS[option]}" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_of_another_tool_is_answered_with_ours(name, capsys):
    assert run([name, "run"]) == 2
    assert COMMANDS[name] in capsys.readouterr().err


def test_what_nobody_calls_so_is_answered_as_before(capsys):
    assert run(["check", "--frobnicate"]) == 2
    assert "No such option" in capsys.readouterr().err
