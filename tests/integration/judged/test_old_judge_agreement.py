"""A new judge beside the old one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.judged.judged_projects import bodies, configure
from tests.projects import TOPICS

pytestmark = pytest.mark.integration


def newer_judge(project: Path) -> None:
    path = project / "ragate.toml"
    path.write_text(path.read_text().replace('model = "judge-1"', 'model = "judge-2"'))


def test_a_new_judge_is_not_comparable_until_it_has_read_the_stored_answers(
    project, server, capsys
):
    configure(project, server, policy='store = "full"')
    assert run(["baseline", "update", "--runs", "2"]) == 0
    newer_judge(project)
    assert run(["check"]) == 3
    assert "ragate baseline rejudge" in capsys.readouterr().out
    server.requests.clear()

    assert run(["baseline", "rejudge"]) == 0

    answers, verdicts, _ = bodies(server)
    assert answers == []
    assert len(verdicts) <= 2 * len(TOPICS)
    assert "faithfulness" in capsys.readouterr().out
    server.requests.clear()
    assert run(["check"]) == 0
    assert server.requests == []


def test_a_baseline_of_hashes_cannot_be_judged_again(project, server, capsys):
    configure(project, server, policy='store = "hashes"')
    assert run(["baseline", "update", "--runs", "1"]) == 0
    newer_judge(project)

    assert run(["baseline", "rejudge"]) == 2
    assert "holds hashes and no answers" in capsys.readouterr().err


def test_the_same_judge_has_nothing_to_do(recorded, server, capsys):
    assert run(["baseline", "rejudge"]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert server.requests == []
