"""Options that contradict one another."""

from __future__ import annotations

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "--ids", "nope"], "nope"),
        (["check", "--tags", "nope"], "nope"),
        (["check", "--limit", "0"], "limit"),
        (["check", "--format", "yaml"], "yaml"),
        (["check", "--output", "a", "--output", "b"], "--format"),
        (["report", "nope"], "nope"),
        (["nope"], "nope"),
        (["check", "--config", "nope.toml"], "nope.toml"),
    ],
)
def test_wrong_usage_exits_with_2_and_names_what_is_wrong(gated, capsys, arguments, said):
    run(["check"])
    capsys.readouterr()

    assert run(arguments) == 2
    assert said in capsys.readouterr().err
