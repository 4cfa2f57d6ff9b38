"""What doctor prints."""

from __future__ import annotations

import json

from ragate.cli.doctor import command
from ragate.cli.finding import ok, problem


def test_the_console_shows_a_remedy_below_its_problem_and_no_control_character() -> None:
    text = command.to_console([ok("a", "fine\x1b[2J"), problem("bb", "wrong", "mend it")])

    lines = text.splitlines()
    assert "\x1b[2J" not in text
    assert lines[1].endswith("bb  wrong")
    assert lines[2].strip() == "-> mend it"
    assert lines[-1] == "1 problem, 0 warnings: exit code 2"


def test_json_holds_every_check_and_the_exit_code() -> None:
    data = json.loads(command.to_json([ok("a", "fine"), problem("b", "w", "r", exit_code=3)]))

    assert data["exit_code"] == 3
    assert data["checks"][1] == {
        "check": "b",
        "status": "problem",
        "message": "w",
        "remedy": "r",
        "exit_code": 3,
    }
