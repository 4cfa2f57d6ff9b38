"""A judge whose key is wrong or missing."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.projects import edit_apples
from tests.servers.faults import status

pytestmark = pytest.mark.integration


def test_a_wrong_key_is_one_clear_error(recorded, server, capsys):
    edit_apples(recorded)
    server.faults.extend([status(401)] * 500)

    assert run(["check"]) == 3

    assert len(server.requests) < 20


def test_without_a_key_there_is_no_decision_unless_the_policy_says_judge_free(
    recorded, server, monkeypatch, capsys
):
    config = (recorded / "ragate.toml").read_text()
    plain = config.replace(
        'use = "chat"\nprovider = "local"\nmodel = "answer-1"\n', 'use = "extractive"\n'
    )
    monkeypatch.delenv("TEST_KEY")
    (recorded / "ragate.toml").write_text(plain)

    assert run(["check"]) == 3

    free = plain.replace("[policy]\n", '[policy]\nwithout_key = "judge-free"\n', 1)
    (recorded / "ragate.toml").write_text(free)
    capsys.readouterr()

    assert run(["check"]) in (0, 1)
    assert "TEST_KEY is not set" in capsys.readouterr().out
    assert server.requests == []
