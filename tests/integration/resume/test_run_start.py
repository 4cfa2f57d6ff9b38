"""A run that was killed goes on as the run that it was: what it finished is not drawn again."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.resume.interrupted import (
    CONCURRENCY,
    CONFIG,
    SAMPLES,
    Service,
    asked_again,
    finished,
    folder,
    interrupted,
    start,
)
from tests.repositories import commit

pytestmark = pytest.mark.integration


def test_after_ten_kills_no_finished_sample_was_asked_again(root: Path, service: Service) -> None:
    runs, moments = 3, 10
    assert start(root, service, "check", "--runs", "3", kill_after=2) == -signal.SIGKILL
    again = sum(
        asked_again(root, service, "check", "--resume", runs=runs, kill_after=6)
        for _ in range(moments - 1)
    )
    again += asked_again(root, service, "check", "--resume", runs=runs)

    assert again == 0
    assert len(finished(root)) == SAMPLES * runs
    # What was in flight at a kill is no finished sample, and all that may be asked twice.
    assert sum(service.asked.values()) <= SAMPLES * runs + moments * CONCURRENCY


def test_the_report_is_of_the_answers_from_before_and_after(root: Path, service: Service) -> None:
    start(root, service, "check", kill_after=9)
    before = finished(root)

    start(root, service, "check", "--resume")

    rows = [json.loads(line) for line in (folder(root) / "scores.jsonl").read_text().splitlines()]
    answers = {row["sample_id"]: row["answer"] for row in rows}
    assert len(before) >= 5
    assert len(answers) == SAMPLES
    assert all(answers[sample] == answer for (sample, _), answer in before.items())
    report = json.loads((folder(root) / "report.json").read_text())
    assert any("was interrupted" in line for line in report["decision"]["lines"])


def test_collect_goes_on_as_well_and_then_has_ended(root: Path, service: Service) -> None:
    start(root, service, "collect", kill_after=9)
    assert asked_again(root, service, "collect", "--resume") == 0
    assert len((root / ".ragate" / "outputs.jsonl").read_text().splitlines()) == SAMPLES + 1

    assert run(["collect", "--resume"]) == 2
    assert run(["collect", "--resume", folder(root).name]) == 2


def test_a_run_keeps_its_options_and_refuses_others(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(root, "check", "--limit", "8")

    assert run(["check", "--resume", "--limit", "9"]) == 2
    assert "other options" in capsys.readouterr().err
    run(["check", "--resume"])

    assert len(finished(root)) == 8


RAG = """
import json, sys
from pathlib import Path

ASKED = Path(__file__).parent / ".ragate" / "asked"

def answer(query):
    ASKED.parent.mkdir(exist_ok=True)
    with ASKED.open("a") as file:
        file.write(query + "\\n")
    return {"answer": f"It is so, the {len(ASKED.read_text().splitlines())}. time.", "chunks": []}

if "--mcp" in sys.argv:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("rag")
    server.tool("ask")(lambda query: answer(query))
    server.run("stdio")
elif __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line)["query"])), flush=True)
"""
SYSTEMS = {
    "python": 'use = "python"\ntarget = "rag_resumed:answer"',
    "worker": f'use = "python"\ntarget = "rag_resumed:answer"\ninterpreter = ["{sys.executable}"]',
    "command": f'use = "command"\ncommand = ["{sys.executable}", "rag_resumed.py"]',
    "mcp": f'use = "mcp"\ntool = "ask"\ncommand = ["{sys.executable}", "rag_resumed.py", "--mcp"]',
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_code_of_any_kind_is_not_asked_again(root: Path, system: str) -> None:
    (root / "rag_resumed.py").write_text(RAG)
    text = CONFIG.replace('["http"]', '["python", "command", "mcp"]').format(
        host="a:1", url="", policy=""
    )
    head, _, _ = text.partition("[system]")
    (root / "ragate.toml").write_text(f"{head}[system]\n{SYSTEMS[system]}\n")
    commit(root, "base")
    interrupted(root, keeping=12)
    there, asked = finished(root), root / ".ragate" / "asked"
    asked.unlink()

    assert run(["check", "--resume"]) == 3  # no baseline: no decision

    assert len(asked.read_text().splitlines()) == SAMPLES - 12
    assert there.items() <= finished(root).items()
    assert len(finished(root)) == SAMPLES
