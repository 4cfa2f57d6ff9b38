"""``--set``: another value for one run, told in the report, and never a baseline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration
OTHERS = 'paths=["others/*.jsonl"]'


def configure(project: ReplayProject, metrics: str = "") -> None:
    project.configure(metrics=metrics)
    path = project.root / "ragate.toml"
    text = path.read_text().replace('["outputs/*.jsonl"]', '["*/*.jsonl"]', 1)
    path.write_text(text)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path)
    configure(project)
    assert run(["baseline", "update"]) == 0
    (tmp_path / "others").mkdir()
    rows = [{"id": f"q{n}", **right(n, 0), "answer": "Wrong."} for n in range(40)]
    (tmp_path / "others/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return project


def test_the_run_has_the_value_and_the_report_says_so(project, capsys):
    assert run(["check", "--set", OTHERS]) == 1

    assert f"Set for this run alone: {OTHERS}. It makes no baseline." in " ".join(
        capsys.readouterr().out.split()
    )
    assert project.report()["partial"] is True
    assert project.report()["filters"]["settings"] == [OTHERS]


def test_without_it_the_file_holds(project):
    assert run(["check"]) == 0
    assert project.report()["partial"] is False


def test_what_was_collected_with_it_is_partial_where_it_is_decided_on(project):
    assert run(["collect", "--set", OTHERS, "--save-outputs", "o.jsonl"]) == 0

    assert run(["decide", "o.jsonl"]) == 1

    assert project.report()["partial"] is True
    assert project.report()["filters"]["settings"] == [OTHERS]


def test_a_path_that_the_policy_does_not_name_is_refused(project, capsys):
    assert run(["check", "--set", 'paths=["o.jsonl"]']) == 2


def test_a_system_that_the_policy_does_not_name_is_refused(project, capsys):
    assert run(["check", "--set", "use=python"]) == 2
    assert "is not in [policy] systems" in capsys.readouterr().err


def test_a_secret_is_in_no_file_of_the_run(project, tmp_path, capsys):
    name = "others/sk-proj-0123456789.jsonl"
    (tmp_path / "others/a.jsonl").rename(tmp_path / name)

    assert run(["check", "--set", f'paths=["{name}"]']) == 1

    texts = [path.read_bytes() for path in (tmp_path / ".ragate").rglob("*") if path.is_file()]
    assert not [text for text in texts if b"sk-proj" in text]
    assert "sk-proj" not in capsys.readouterr().out
    assert project.report()["filters"]["settings"] == ["paths=***"]


@pytest.mark.parametrize("command", ["decide", "baseline update", "compare", "action", "gate"])
def test_no_other_command_takes_it(project, command, capsys):
    assert run([*command.split(), "--set", OTHERS]) == 2
    assert "--set" in capsys.readouterr().err


def test_the_judge_of_a_base_is_not_another(project, capsys):
    assert run(["check", "--base", "main", "--set", "judge.model=x"]) == 2
    assert "with --base the judge and the rules are those of main" in capsys.readouterr().err


def test_an_input_of_the_action_is_none():
    from ragate.cli.commands.action import step_environment

    assert "INPUT_SET" not in step_environment({"INPUT_SET": "use=x"}, {})


DATES = """
[policy.metrics.tool_logic]
"""


def test_how_dates_are_compared_is_another_for_one_run(project, tmp_path, capsys):
    calls = [{"name": "sales", "arguments": {"from": "{today-7d}"}}]
    project.write_golden(range(40), expected_calls=calls)
    configure(project, DATES)
    made = [{"name": "sales", "arguments": {"from": "last week"}}]
    project.record(lambda n, run: {**right(n, run), "tool_calls": made})
    told = {}
    for mode in ("behavioral", "data"):
        run(["check", "--temporal-mode", mode])
        (row,) = [
            row for row in project.report()["decision"]["metrics"] if row["metric"] == "tool_logic"
        ]
        told[mode] = row["candidate"]

    assert told == {"behavioral": 1.0, "data": 0.0}
    assert project.report()["filters"]["settings"] == ["temporal_mode=data"]


def test_where_no_metric_compares_dates_there_is_no_mode(project, capsys):
    assert run(["check", "--temporal-mode", "data"]) == 2
    assert "no metric of the policy compares dates" in capsys.readouterr().err
