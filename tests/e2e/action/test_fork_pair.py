"""The pair for forks: collect runs the change without a key, decide judges without its code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.e2e.action.forge import Change, Forge, outputs
from tests.servers.github_stub import Account
from tests.servers.openai_server import openai_server

pytestmark = pytest.mark.e2e
FORK = "stranger/handbook"


@pytest.fixture
def broken(forge: Forge) -> Change:
    return forge.change(outputs(broken=range(12)), fork=FORK)


def test_the_second_half_sets_the_verdict_on_the_right_pull_request_and_commit(
    forge: Forge, broken: Change
) -> None:
    collected, lines = forge.collect(broken)
    assert collected.exit_code == 0, collected.log
    assert collected.outputs["verdict"] == "collected"
    assert forge.github.requests == []
    result = forge.decide(broken, lines)
    assert result.exit_code == 1, result.log
    assert result.outputs["verdict"] == "failed"
    assert forge.states(broken.head) == ["pending", "failure"]
    assert broken.head[:7] in forge.comment()

    repaired = forge.change(outputs(), fork=FORK)
    lines = forge.collected(repaired)
    result = forge.decide(repaired, lines)
    assert result.exit_code == 0, result.log
    assert forge.states(repaired.head) == ["pending", "success"]


def test_forged_claims_of_the_outputs_change_nothing(forge: Forge, broken: Change) -> None:
    lines = forge.collected(broken)
    header, *rest = [json.loads(line) for line in lines.splitlines()]
    header["manifest"] |= {
        "left_out": ["hit_rate@5", "token_f1"],
        "gate": "another",
        "commit": forge.base,
        "retrieval_only": True,
        "filters": {"limit": 1},
        "evidence": "0" * 16,
    }
    header["manifest"]["system"] |= {
        "fingerprint": "0" * 16,
        "deterministic": ["answer", "retrieval"],
    }
    for line in rest:
        line["request_hash"] = "0" * 16
    forged = "".join(json.dumps(line) + "\n" for line in [header, *rest]).encode()
    result = forge.decide(broken, forged)
    assert result.exit_code == 1, result.log
    assert forge.states(broken.head)[-1] == "failure"


def test_a_verdict_and_a_number_beside_the_outputs_are_not_read(
    forge: Forge, broken: Change
) -> None:
    other = forge.change(outputs(), number=8)
    lines = forge.collected(broken)

    def forge_files(workspace: Path) -> None:
        (workspace / "pr-number").write_text("8")
        result = workspace / ".ragate" / "result"
        result.mkdir(parents=True)
        (result / "result.json").write_text('{"verdict": "passed", "pull": 8}')
        (result / "report.json").write_text('{"decision": {"verdict": "passed"}}')
        (workspace / "ragate.toml").write_text("[policy]\n")

    result = forge.decide(broken, lines, prepare=forge_files)
    assert result.exit_code == 1, result.log
    assert forge.states(broken.head)[-1] == "failure"
    assert forge.states(other.head) == []
    assert not forge.github.comments[8]


def test_a_head_that_has_moved_is_left_to_its_own_run(forge: Forge, broken: Change) -> None:
    lines = forge.collected(broken)
    forge.change(outputs(), fork=FORK)  # a newer push to the same pull request
    result = forge.decide(broken, lines)
    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "superseded"
    assert forge.github.writes() == []


@pytest.mark.parametrize(
    "then",
    [
        {"head_branch": "old-branch"},
        {"head_repository": {"id": 2, "full_name": "old-name/handbook"}},
    ],
)
def test_a_branch_or_an_owner_that_was_renamed_meanwhile_gets_its_verdict(
    forge: Forge, broken: Change, then: dict[str, object]
) -> None:
    lines = forge.collected(broken)

    result = forge.decide(broken, lines, run=then)

    assert result.exit_code == 1, result.raw_log
    assert forge.states(broken.head) == ["pending", "failure"]


def to_link(path: Path) -> None:
    path.symlink_to("/proc/self/environ")


def to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def to_pipe(path: Path) -> None:
    os.mkfifo(path)


def to_hardlink(path: Path) -> None:
    source = path.with_name("secret")
    source.write_text("{}\n")
    os.link(source, path)


def to_broken(path: Path) -> None:
    path.write_text('{"id": "q0", "answer": NaN}\n')


def to_nothing(path: Path) -> None:
    del path


@pytest.mark.parametrize("make", [to_link, to_device, to_pipe, to_hardlink, to_broken, to_nothing])
def test_hostile_outputs_are_an_error_and_never_a_verdict(
    forge: Forge, broken: Change, make
) -> None:
    result = forge.decide(
        broken,
        None,
        prepare=lambda workspace: make(workspace / "ragate-outputs.jsonl"),
        env={"CANARY_KEY": "sk-canary-123456"},
    )
    assert result.exit_code == 2, result.log
    assert result.outputs["verdict"] == "error"
    assert forge.states(broken.head)[-1] == "error"
    assert "sk-canary" not in result.raw_log + result.summary + str(forge.github.comments)


def test_a_green_status_of_a_branch_without_a_gate_is_not_to_be_had(
    forge: Forge, broken: Change
) -> None:
    github = forge.github
    github.commit({"index.html": b"hello"}, branch="gh-pages")
    broken.pull["base"] |= {"ref": "gh-pages", "sha": github.git.resolve("refs/heads/gh-pages")}
    broken.pull["merge_commit_sha"] = None
    lines = forge.collected(broken)
    result = forge.decide(broken, lines)
    assert result.exit_code == 3, result.log
    assert "success" not in forge.states(broken.head)


def test_state_that_came_with_the_artifact_is_not_used(forge: Forge, broken: Change) -> None:
    """A cache of verdicts is trusted by whoever finds it, so none is looked for there."""
    lines = forge.collected(broken)

    def plant(workspace: Path) -> None:
        (workspace / ".ragate" / "runs").mkdir(parents=True)
        (workspace / ".ragate" / "cache.sqlite").write_bytes(b"SQLite format 3\0 forged")

    result = forge.decide(broken, lines, prepare=plant)
    assert result.exit_code == 1, result.log
    folder = forge.last / ".ragate"
    assert (folder / "cache.sqlite").read_bytes() == b"SQLite format 3\0 forged"
    assert list((folder / "runs").iterdir()) == []
    assert (folder / "result" / "run" / "scores.jsonl").is_file()


def test_a_token_that_may_only_read_changes_no_verdict(forge: Forge, broken: Change) -> None:
    """As on a pull request from a fork, or of Dependabot: the summary has it all."""
    forge.github.accounts["ghs_readonly"] = Account(writes=frozenset())
    for change, code in ((broken, 1), (forge.change(outputs(), fork=FORK), 0)):
        result = forge.check(change, token="ghs_readonly")
        assert result.exit_code == code, result.log
        assert forge.states(change.head) == []
        assert not forge.github.comments[7]
        assert "<h3>" in result.summary


def first_pull_request(forge: Forge, gated: dict[str, bytes], url: str) -> Change:
    """Return a fork's pull request that brings the gate, with a judge where it likes."""
    forge.github.git.run("update-ref", "-d", "refs/heads/main")
    forge.start({"README.md": b"nothing yet"})
    judge = f"""
[policy.metrics.faithfulness]
level = "error"
[policy.providers.mine]
base_url = "{url}"
key_env = "TEST_KEY"
[policy.judge]
use = "rubric"
provider = "mine"
model = "judge-1"
"""
    head, _, system = gated["ragate.toml"].decode().rpartition("[system]")
    text = f"{head}{judge}[system]{system}"
    return forge.change({**gated, **outputs(), "ragate.toml": text.encode()}, fork=FORK)


def test_the_first_pull_request_of_a_stranger_gets_no_key_and_names_no_status(
    forge: Forge, gated: dict[str, bytes]
) -> None:
    with openai_server() as mine:
        change = first_pull_request(forge, gated, mine.base_url)
        lines = forge.collected(change)
        env = {"TEST_KEY": "sk-canary-0123456789"}
        result = forge.decide(change, lines, env=env)
        assert result.exit_code == 2, result.log
        assert forge.states(change.head) == []
        result = forge.decide(change, lines, env=env, inputs={"gate": "docs"})
        assert result.exit_code == 0, result.log
        assert result.outputs["verdict"] == "bootstrap"
        assert mine.requests == []
    assert forge.states(change.head) == ["pending", "success"]
    assert {one["context"] for one in forge.github.statuses[change.head]} == {"ragate/docs"}
