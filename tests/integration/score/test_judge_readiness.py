"""The judge is looked at before an answer is paid for that needs it, and never without need."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.answers.run_profile import Selection
from ragate.baseline.recording.record_baseline import update_baseline
from ragate.cli.main import run
from ragate.errors import NotReadyError
from ragate.scoring import judging
from tests.integration.recorded_project import RecordedProject
from tests.runs import check
from tests.servers.model import answers_and_judges, is_judgement
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.unit.judges.judge_factories import stub

pytestmark = pytest.mark.integration
SAMPLES = 12
NUMBERS = itertools.count()
KEY = "sk-canary-0123456789"
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["python"]
runs = 1

[policy.providers.judging]
base_url = "{url}"
key_env = "JUDGE_KEY"

[policy.judge]
use = "rubric"
provider = "judging"
model = "judge-1"

[policy.metrics.token_f1]
level = "error"
[policy.metrics.faithfulness]
level = "{level}"

[system]
use = "python"
target = "{module}:ask"
"""
RAG = """
from pathlib import Path
ASKED = Path("asked.txt")

def ask(query):
    with ASKED.open("a") as file:
        file.write(query + "\\n")
    number = query.split()[-1].rstrip("?")
    text = f"The value of {number} is {WORD}."
    return {"answer": text, "chunks": [{"doc_id": f"d{number}.md", "text": text}]}
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_KEY", KEY)
    with openai_server() as fake:
        fake.reply = answers_and_judges()
        write(tmp_path, fake.base_url)
        yield fake


def write(root: Path, url: str, *, level: str = "error", word: str = "apples") -> None:
    """Write a gate on a function of the user's own; `word` is what it always answers."""
    module = f"rag_{next(NUMBERS)}"  # one that was imported before stays as it was
    (root / "ragate.toml").write_text(CONFIG.format(url=url, level=level, module=module))
    (root / f"{module}.py").write_text(RAG.replace("WORD", repr(word)))
    rows = [
        {
            "id": f"q{number}",
            "query": f"What is the value of {number}?",
            "references": [f"The value of {number} is apples."],
        }
        for number in range(SAMPLES)
    ]
    (root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def asked(root: Path) -> int:
    path = root / "asked.txt"
    count = len(path.read_text().splitlines()) if path.exists() else 0
    path.unlink(missing_ok=True)
    return count


def judged(server: FakeOpenAI) -> int:
    return sum(is_judgement(body) for _, _, body in server.requests)


@pytest.mark.parametrize("level", ["error", "warn"])
def test_a_recording_without_the_judges_key_asks_the_rag_nothing(
    tmp_path, server, monkeypatch, capsys, level
):
    write(tmp_path, server.base_url, level=level)
    monkeypatch.delenv("JUDGE_KEY")

    assert run(["baseline", "update"]) == 3

    assert asked(tmp_path) == 0
    said = capsys.readouterr().err
    assert "JUDGE_KEY is not set; faithfulness cannot be recorded" in said
    assert "-> set JUDGE_KEY; the baseline is unchanged" in said


@pytest.mark.parametrize("command", [["check"], ["baseline", "update"]], ids=["check", "update"])
def test_a_key_that_is_refused_is_noticed_before_the_rag_is_asked(
    tmp_path, server, capsys, command
):
    server.refused.add(KEY)

    assert run(command) == 3

    assert asked(tmp_path) == 0
    assert server.requests == []
    said = capsys.readouterr().err
    assert "refuses the key: HTTP 401" in said
    assert KEY not in said


def test_a_judge_out_of_reach_is_noticed_before_the_rag_is_asked(
    tmp_path, server, capsys, monkeypatch
):
    monkeypatch.setenv("RAGATE_TIMEOUT_S", "2")  # so long it is waited for
    write(tmp_path, "http://127.0.0.1:1/v1")

    assert run(["baseline", "update"]) == 3

    assert asked(tmp_path) == 0
    assert "the judge at 127.0.0.1:1 cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize(("level", "passes"), [("error", 0), ("warn", 3)])
def test_a_recording_ends_once_the_judge_that_it_needs_is_not_believed(
    tmp_path, server, monkeypatch, capsys, level, passes
):
    write(tmp_path, server.base_url, level=level)
    monkeypatch.setenv("RAGATE_CONCURRENCY", "1")
    monkeypatch.setattr(judging, "BACKLOG", 2)  # answers wait for the known ones
    server.reply = answers_and_judges(stub(lambda _sentence, _contexts: 1, yes=True))

    assert run(["baseline", "update", "--runs", "3"]) == (0 if passes else 3)

    said = capsys.readouterr().err
    if passes:
        assert asked(tmp_path) == passes * SAMPLES
    else:
        assert 0 < asked(tmp_path) < SAMPLES
        assert "faithfulness cannot be recorded:\n  the judge scored test answers wrongly" in said
        assert "were discarded: bad: faithfulness is 1, expected 0" in " ".join(said.split())
        assert max(map(len, said.splitlines())) < 200
        assert not (tmp_path / "baselines" / "gate.json").exists()


def test_a_first_check_says_what_a_voided_judge_got_wrong_and_its_reply(tmp_path, server, capsys):
    server.reply = answers_and_judges(stub(lambda _sentence, _contexts: 1, yes=True))

    assert run(["check"]) == 3

    told = " ".join(capsys.readouterr().out.split())
    assert "faithfulness was not measured: judge: the judge scored test answers wrongly" in told
    assert "faithfulness is 1, expected 0" in told
    assert "(the reply: `{" in told


def test_a_check_after_no_change_asks_for_no_key_and_looks_at_nothing(
    tmp_path, server, monkeypatch
):
    assert run(["baseline", "update"]) == 0
    (tmp_path / ".ragate" / "cache.sqlite").unlink()
    monkeypatch.delenv("JUDGE_KEY")
    server.requests.clear()
    server.looks.clear()

    assert run(["check"]) == 0

    assert server.requests == []
    assert server.looks == []


def test_one_answer_tells_that_the_key_is_needed_after_a_change(
    tmp_path, server, monkeypatch, capsys
):
    assert run(["baseline", "update"]) == 0
    asked(tmp_path)
    write(tmp_path, server.base_url, word="pears")
    monkeypatch.delenv("JUDGE_KEY")

    assert run(["check"]) == 3

    assert asked(tmp_path) == 1
    assert "JUDGE_KEY is not set; faithfulness cannot be judged" in capsys.readouterr().err


def test_the_answer_that_was_asked_ahead_is_not_asked_again(tmp_path, server, monkeypatch):
    assert run(["baseline", "update"]) == 0
    asked(tmp_path)
    monkeypatch.delenv("JUDGE_KEY")

    assert run(["check"]) == 0

    assert asked(tmp_path) == SAMPLES


def test_a_check_whose_judge_shows_only_goes_on_without_it(tmp_path, server, monkeypatch):
    write(tmp_path, server.base_url, level="warn")
    assert run(["baseline", "update"]) == 0
    write(tmp_path, server.base_url, level="warn", word="an apples")
    monkeypatch.delenv("JUDGE_KEY")
    asked(tmp_path)

    run(["check"])

    assert asked(tmp_path) >= SAMPLES


def test_nothing_is_forwarded_for_a_recorded_system_whose_judge_has_no_key(tmp_path, server):
    """Its calls go to the same server, by the provider of its own."""
    judge = '[policy.judge]\nuse = "rubric"\nprovider = "judging"\nmodel = "judge-1"'
    provider = f'[policy.providers.judging]\nbase_url = "{server.base_url}"\nkey_env = "J_KEY"'
    project = RecordedProject(
        tmp_path,
        server.base_url,
        policy=f"without_key = 'fail'\n{provider}\n{judge}",
        metrics='[policy.metrics.faithfulness]\nlevel = "error"\n',
        system='use = "python"\ntarget = "{module}:answer"\nrecord_provider = "openai"',
    )
    judging = server.reply
    server.reply = lambda body: (
        judging(body)
        if is_judgement(body)
        else str(body["messages"][-1]["content"]).splitlines()[0]
    )
    operations = project.operations(J_KEY=KEY)
    asyncio.run(update_baseline(project.config(), operations, runs=1))
    project.edit(3)
    project.configure()
    server.requests.clear()

    with pytest.raises(NotReadyError, match="J_KEY is not set; faithfulness cannot be judged"):
        asyncio.run(check(project.config(), project.operations(), Selection()))

    assert server.requests == []


def test_collecting_asks_for_no_key_of_the_judge(tmp_path, server, monkeypatch):
    monkeypatch.delenv("JUDGE_KEY")

    assert run(["collect"]) == 0

    assert server.looks == []
    assert asked(tmp_path) == SAMPLES


def test_nothing_is_asked_of_a_judge_that_one_look_has_failed(tmp_path, server):
    assert run(["baseline", "update"]) == 0
    write(tmp_path, server.base_url, word="pears")
    server.requests.clear()
    server.refused.add(KEY)

    assert run(["check"]) != 0

    assert server.requests == []
    assert server.looks.count(KEY) >= 1


def test_a_judge_that_is_there_is_looked_at_once(tmp_path, server):
    assert run(["baseline", "update"]) == 0

    assert server.looks == [KEY]
    assert judged(server) >= SAMPLES
