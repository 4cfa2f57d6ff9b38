"""Words of other tools that workers answer."""

from __future__ import annotations

from ragate.cli.main import run


def test_an_option_of_another_tool_is_answered_with_ours(capsys) -> None:
    assert run(["check", "--distributed", "x"]) == 2
    assert "--distributed is called otherwise here: `--workers`" in capsys.readouterr().err


def test_a_number_of_workers_is_answered_with_the_option_that_takes_one(capsys) -> None:
    assert run(["check", "--workers", "4"]) == 2
    assert "--workers takes no value: `--local-workers N` starts" in capsys.readouterr().err
