"""A fork's change that asks a model: nothing is known, a maintainer pays, the verdict follows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.baseline.recording.record_baseline import update_baseline
from tests.container.runner import StepResult
from tests.e2e.action.forge import Change, Files, Forge
from tests.e2e.action.talk import GATE, replies, say
from tests.integration.recorded_project import KEY, RecordedProject
from tests.servers.github_stub import TOKEN, Account, github_stub
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = pytest.mark.e2e

READER = "ghs_readonly" + "0" * 20
CHANGED = 14


def right(body: dict[str, Any]) -> str:
    """Answer with the sentence that the passage in the request begins with."""
    return str(body["messages"][0]["content"]).split("\n")[0]


@pytest.fixture(scope="module")
def model() -> Iterator[FakeOpenAI]:
    with openai_server() as server:
        server.reply = right
        yield server


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, model: FakeOpenAI) -> Files:
    """Return the files of a project that has recorded its model's answers."""
    folder = tmp_path_factory.mktemp("recorded")
    project = RecordedProject(folder, model.base_url, samples=20, policy="runs = 2")
    asyncio.run(update_baseline(project.config(), project.operations()))
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".ragate" not in path.parts and path.suffix != ".pyc"
    }


@pytest.fixture
def forge(tmp_path: Path, recorded: Files, model: FakeOpenAI) -> Iterator[Forge]:
    """Yield a repository whose main branch has these files."""
    with github_stub(tmp_path / "github") as github:
        github.accounts[READER] = Account(writes=frozenset())
        made = Forge(github, tmp_path)
        made.start({**recorded, ".gitignore": b".ragate/\n__pycache__/\n"})
        model.requests.clear()
        yield made


def passages(text: str) -> dict[str, bytes | None]:
    """Return a change of most passages, and so of most model requests."""
    return {f"passages/{n}.md": text.format(n=n).encode() for n in range(CHANGED)}


def collect(forge: Forge, change: Change, attempt: int) -> bytes:
    """Run the half without keys, as attempt N of run 1, and upload what it left."""
    workspace = forge.checkout(change.merge)
    result, lines = forge.collect(
        change,
        workspace=workspace,
        inputs={"allow-code": "true", "runs": "1"},
        run_attempt=attempt,
        token=READER,
    )
    assert result.exit_code in (0, 3), result.log
    source = change.pull["head"]["repo"]["full_name"]
    forge.github.add_run(1, head_sha=change.head, run_attempt=attempt, head_repository=source)
    files = {f"ragate-outputs-{attempt}.jsonl": lines}
    pending = workspace / ".ragate/pending.jsonl"
    if pending.is_file():
        files[".ragate/pending.jsonl"] = pending.read_bytes()
    forge.github.add_artifact(1, f"ragate-outputs-{GATE}-{attempt}", files)
    return lines


def decide(forge: Forge, change: Change, *collected: bytes) -> StepResult:
    def unpack(workspace: Path) -> None:
        (workspace / "incoming").mkdir()
        for number, lines in enumerate(collected, 1):
            (workspace / f"incoming/ragate-outputs-{number}.jsonl").write_bytes(lines)

    return forge.decide(change, None, prepare=unpack, inputs={"outputs-path": "incoming"})


def paid(forge: Forge, change: Change) -> StepResult:
    return say(forge, f"/ragate run {change.head[:7]}", env={"TEST_OPENAI_KEY": KEY})


def test_an_unaffected_fork_is_decided_without_a_key_or_a_call(forge: Forge, model: FakeOpenAI):
    change = forge.change({"web.html": b"<p>hello</p>"}, fork="stranger/handbook")

    result = decide(forge, change, collect(forge, change, 1))

    assert (result.exit_code, result.outputs["verdict"]) == (0, "passed"), result.log
    assert model.requests == []


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The value of {n} is {n} apples.\nIndeed.", "passed"),
        ("Nobody knows.", "failed"),
    ],
)
def test_what_is_new_waits_for_a_maintainer_and_is_then_decided(
    forge: Forge, model: FakeOpenAI, text: str, verdict: str
):
    change = forge.change(passages(text), fork="stranger/handbook")

    first = collect(forge, change, 1)
    waiting = decide(forge, change, first)
    assert (waiting.exit_code, waiting.outputs["verdict"]) == (3, "no_decision"), waiting.log
    assert model.requests == []

    done = paid(forge, change)
    assert done.exit_code == 0, done.log
    assert len(model.requests) == CHANGED
    assert "14 model requests" in replies(forge)[-1]
    assert forge.github.runs[1]["run_attempt"] == 2

    final = decide(forge, change, first, collect(forge, change, 2))
    assert final.outputs["verdict"] == verdict, final.log
    assert len(model.requests) == CHANGED
    assert forge.states(change.head)[-1] == ("success" if verdict == "passed" else "failure")


def test_a_reader_spends_nothing(forge: Forge, model: FakeOpenAI):
    change = forge.change(passages("Nobody knows."), fork="stranger/handbook")
    collect(forge, change, 1)
    forge.github.permissions["stranger"] = "read"

    say(forge, f"/ragate run {change.head[:7]}", login="stranger", env={"TEST_OPENAI_KEY": KEY})

    assert model.requests == []
    assert replies(forge) == []


def test_a_request_that_the_policy_does_not_allow_is_told_and_not_sent(
    forge: Forge, model: FakeOpenAI
):
    entry = next(
        one for one in forge.github.git.listed(forge.base, recursive=True) if one.path[-3:] == ".py"
    )
    code = forge.github.git.read(entry.sha).replace(b"gpt-4o-mini", b"gpt-5-pro-expensive")
    change = forge.change({entry.path: code}, fork="stranger/handbook")
    collect(forge, change, 1)

    result = paid(forge, change)

    assert result.exit_code == 0, result.log
    assert model.requests == []
    assert "gpt-5-pro-expensive" in replies(forge)[-1]
    assert "were not answered" in replies(forge)[-1]


def test_no_key_is_in_anything_that_is_kept(forge: Forge, model: FakeOpenAI):
    change = forge.change(passages("Nobody knows."), fork="stranger/handbook")
    collect(forge, change, 1)
    result = paid(forge, change)

    kept = [seen.body for seen in forge.github.writes()] + [result.raw_log.encode()]
    assert not any(KEY.encode() in one or TOKEN.encode() in one for one in kept)
    assert re.search(rb"refs/ragate/replies/gate/", b"".join(kept))
