"""The whole line with a model that answers and a model that judges, over real HTTP on loopback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import TOPICS, write_docs_project
from tests.servers.model import answers_and_judges, is_judgement
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.unit.judges.judge_factories import gullible

pytestmark = pytest.mark.integration

KEY = "sk-canary-0123456789abcdef"
JUDGED = """
[policy.providers.local]
base_url = "{url}"
key_env = "TEST_KEY"

[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"

[policy.metrics.faithfulness]
level = "error"

[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
"""


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.reply = answers_and_judges()
        yield fake


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_KEY", KEY)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    write_docs_project(tmp_path)
    configure(tmp_path, server)
    return tmp_path


def configure(project: Path, server: FakeOpenAI, *, policy: str = "") -> None:
    config = (project / "ragate.toml").read_text().split("\n[policy.providers")[0]
    config = config.replace("[policy]\n", f"[policy]\n{policy}\n", 1) if policy else config
    (project / "ragate.toml").write_text(config + JUDGED.format(url=server.base_url))


@pytest.fixture
def recorded(project: Path, server: FakeOpenAI) -> Path:
    """A project with a committed baseline, and nothing left of how it was made."""
    assert run(["baseline", "update", "--runs", "2"]) == 0
    (project / ".ragate" / "cache.sqlite").unlink()
    server.requests.clear()
    return project


def bodies(server: FakeOpenAI) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the requests for answers, for verdicts on our questions, and on canaries."""
    sent = [body for _, _, body in server.requests]
    judged = [body for body in sent if is_judgement(body)]
    ours = [body for body in judged if re.search(r"Where do the \w+ come", str(body["messages"]))]
    return (
        [body for body in sent if not is_judgement(body)],
        ours,
        [body for body in judged if body not in ours],
    )


def test_recording_makes_one_call_for_each_answer_and_each_distinct_verdict(project, server):
    assert run(["baseline", "update", "--runs", "2"]) == 0

    answers, verdicts, canaries = bodies(server)
    assert len(answers) == 2 * len(TOPICS)
    assert len(verdicts) <= 2 * len(TOPICS)
    assert canaries


def test_a_run_after_no_change_makes_no_call_of_any_kind(recorded, server, capsys):
    assert run(["check"]) == 0

    assert server.requests == []
    assert "0 affected" in capsys.readouterr().out


def test_after_editing_some_pages_only_samples_that_see_them_are_asked_anew(project, server):
    text = (project / "ragate.toml").read_text().replace("top_k = 5", "top_k = 1")
    (project / "ragate.toml").write_text(text)
    run(["baseline", "update", "--runs", "2"])
    (project / ".ragate" / "cache.sqlite").unlink()
    server.requests.clear()
    for topic in TOPICS[:3]:
        page = project / "docs" / f"{topic}.md"
        page.write_text(page.read_text().replace("picked", "taken"))

    assert run(["check", "--runs", "1"]) == 0

    answers, verdicts, _ = bodies(server)
    assert len(answers) == 3
    assert len(verdicts) == 3


def test_a_server_that_goes_down_gives_no_decision_and_what_was_paid_for_is_kept(
    project, server, capsys
):
    assert run(["baseline", "update", "--runs", "1"]) == 0
    capsys.readouterr()
    page = project / "docs" / "apples.md"
    page.write_text(page.read_text().replace("picked", "taken"))
    (project / "prompt.md").write_text(
        "{{ question }} {% for c in contexts %}{{ c.text }}{% endfor %}"
    )
    config = (project / "ragate.toml").read_text() + '\nprompt = "prompt.md"\n'
    (project / "ragate.toml").write_text(config)
    server.requests.clear()
    answering = server.reply
    served = 0

    def until_it_breaks(body: dict[str, Any]) -> str:
        nonlocal served
        if is_judgement(body):
            return "not JSON at all"
        served += 1
        return str(answering(body))

    server.reply = until_it_breaks
    assert run(["check"]) == 3
    assert served == len(TOPICS)

    server.reply = answering
    server.requests.clear()
    run(["check"])

    answers, verdicts, _ = bodies(server)
    assert answers == []
    assert verdicts


def test_a_gullible_judge_is_found_out_and_nothing_passes_on_its_word(project, server, capsys):
    server.reply = answers_and_judges(gullible())

    assert run(["baseline", "update", "--runs", "1"]) == 3
    assert "known answers" in capsys.readouterr().err

    assert run(["baseline", "update", "--runs", "1"]) == 3  # nothing of it was remembered


def test_a_wrong_key_is_one_clear_error(recorded, server, capsys, monkeypatch):
    from tests.servers.faults import status

    page = recorded / "docs" / "apples.md"
    page.write_text(page.read_text().replace("picked", "taken"))
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


def test_no_key_is_in_any_file_or_printed_line(recorded, server, capsys):
    from tests.servers.faults import status

    page = recorded / "docs" / "apples.md"
    page.write_text(page.read_text().replace("picked", "taken"))
    server.faults.extend([status(500)] * 3)
    run(["check", "--format", "json", "--output", "report.json"])
    shown = capsys.readouterr()

    assert KEY not in shown.out + shown.err
    files = [path for path in recorded.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert any(headers.get("authorization") == f"Bearer {KEY}" for _, headers, _ in server.requests)


def test_collected_outputs_are_judged_elsewhere_without_the_system(recorded, server, monkeypatch):
    page = recorded / "docs" / "apples.md"
    page.write_text(page.read_text().replace("picked", "taken"))
    assert run(["collect"]) == 0
    server.requests.clear()
    (recorded / "docs").rename(recorded / "gone")

    assert run(["decide"]) in (0, 1)

    answers, verdicts, _ = bodies(server)
    assert answers == []
    assert verdicts


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


def test_an_estimate_counts_the_calls_that_the_run_then_makes_and_sends_none(
    recorded, server, capsys
):
    page = recorded / "docs" / "apples.md"
    page.write_text(page.read_text().replace("picked", "taken"))
    capsys.readouterr()

    assert run(["check", "--estimate"]) == 0

    assert server.requests == []
    said = capsys.readouterr().out
    run(["check"])
    answers, verdicts, canaries = bodies(server)
    first = re.search(r"answers: +(\d+) calls.*\n +judgements: +(\d+) calls", said)
    assert first is not None
    assert int(first[1]) == len(answers)
    assert int(first[2]) >= len(verdicts)
    assert int(first[2]) <= len(answers) + len(canaries)
