"""Pending requests: written where there is no key, answered where there is no code."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.recorder.fulfil_pending import Fulfilled, fulfil_pending
from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request
from ragate.errors import ProviderError, UsageError
from ragate.models import Verdict
from tests.contrib.recorder.recorded_projects import checked, made, outputs, record
from tests.contrib.recorder.test_run_resolver import CHAIN
from tests.integration.recorded_project import KEY, RecordedProject
from tests.servers.faults import status

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def left_waiting(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two pending requests, to be copied."""
    root = tmp_path_factory.mktemp("waiting")
    shutil.copytree(recording, root, dirs_exist_ok=True)
    project = RecordedProject(root, "http://127.0.0.1:9/v1")
    project.edit(2)
    checked(project, key="")
    assert len(project.pending()) == 3
    return root


@pytest.fixture
def waiting(project: RecordedProject, left_waiting: Path) -> RecordedProject:
    shutil.copytree(left_waiting, project.root, dirs_exist_ok=True)
    project.configure()
    return project


def pending_path(project: RecordedProject) -> Path:
    return project.root / ".ragate" / "pending.jsonl"


def fulfilled(project: RecordedProject, **options: Any) -> Fulfilled:
    variables = options.pop("variables", {})
    operations = project.operations(key=options.pop("key", None), **variables)
    return asyncio.run(
        fulfil_pending(project.config(), operations, pending_path(project), **options)
    )


def test_what_was_pending_is_answered_once_and_then_replayed_without_a_key(waiting, server):
    asked = server.seen

    first, second = fulfilled(waiting), fulfilled(waiting)
    report = checked(waiting, key="")

    assert (first.answered, first.known, first.whole) == (2, 0, True)
    assert (second.answered, second.known, second.whole) == (0, 2, True)
    assert server.seen - asked == 2
    assert report.facts.errors == 0
    assert report.facts.affected == 2
    assert report.decision.verdict is not Verdict.NO_DECISION
    assert not pending_path(waiting).exists()


def test_the_replies_can_be_carried_to_another_machine(waiting, server):
    done = fulfilled(waiting, output=waiting.root / "carried.gz")
    (waiting.root / ".ragate" / "cache.sqlite").unlink()
    done.path.rename(waiting.root / ".ragate" / "replies.jsonl.gz")
    asked = server.seen

    report = checked(waiting, key="")

    assert report.facts.errors == 0
    assert server.seen == asked


def test_a_fulfilled_reply_is_one_draw_and_confirms_nothing(project, server):
    project = made(project, samples=30)
    server.reply = lambda body: body["messages"][0]["content"].split(chr(10))[0]
    record(project)
    for number in range(6):  # suspicious, and not clear after one pass
        project.write(number, "Nobody knows.")
    rounds = []
    for _ in range(3):
        report = checked(project, key="")
        rounds.append((report.decision.verdict, {row["draw"] for row in project.pending()[1:]}))
        if project.pending():
            fulfilled(project)

    assert rounds == [
        (Verdict.NO_DECISION, {0}),
        (Verdict.NO_DECISION, {1, 2}),
        (Verdict.FAILED, set()),
    ]


def test_a_chain_is_fulfilled_round_by_round_and_each_adds_to_the_replies(project, server):
    record(made(project, code=CHAIN), runs=1)
    project.code = CHAIN.replace("{text}", "Say it. {text}")
    carried = project.root / "carried.gz"
    rounds = []
    for _ in range(2):
        rounds.append(checked(project, key="").facts.errors)
        assert fulfilled(project, output=carried).answered == project.samples
        (project.root / ".ragate" / "cache.sqlite").unlink()  # another machine, each time
        (project.root / ".ragate" / "replies.jsonl.gz").write_bytes(carried.read_bytes())

    assert rounds == [project.samples, project.samples]
    assert checked(project, key="").facts.errors == 0


def test_the_code_of_the_change_is_not_run(waiting, server):
    for path in waiting.root.glob("project_*.py"):
        path.write_text("raise SystemExit('the code was run')")

    assert fulfilled(waiting).whole


def test_an_expensive_model_is_refused_and_the_rest_is_answered(waiting, server):
    lines = pending_path(waiting).read_text().splitlines()
    row = json.loads(lines[1])
    row["body"]["model"] = "gpt-9-pro"
    row["key"] = Request(Endpoint(row["path"]), row["body"]).key("openai")
    pending_path(waiting).write_text("\n".join([lines[0], json.dumps(row), lines[2]]))
    asked = server.seen

    done = fulfilled(waiting)

    assert done.answered == 1
    assert not done.whole
    [why] = done.refused
    assert why.startswith("line 2: model 'gpt-9-pro' is none of the baseline's requests")
    assert server.seen - asked == 1


def test_a_reply_cannot_be_planted_under_another_requests_key(waiting, server):
    text = pending_path(waiting).read_text()
    pending_path(waiting).write_text(text.replace("or so", "or not"))
    asked = server.seen

    with pytest.raises(UsageError, match="not that of this request"):
        fulfilled(waiting)

    assert server.seen == asked


def test_a_cap_stops_it_and_what_was_answered_is_kept(waiting, server):
    config = waiting.root / "ragate.toml"
    config.write_text(config.read_text().replace("[policy]\n", "[policy]\nmax_calls = 1\n", 1))

    first = fulfilled(waiting, variables={"RAGATE_CONCURRENCY": "1"})
    config.write_text(config.read_text().replace("max_calls = 1\n", ""))
    second = fulfilled(waiting)

    assert first.answered == 1
    assert "max_calls" in first.stopped
    assert (second.answered, second.known) == (1, 1)


def test_a_request_that_the_provider_refuses_is_told(waiting, server):
    server.faults = [status(400, message="too long")]

    done = fulfilled(waiting, variables={"RAGATE_CONCURRENCY": "1"})

    assert done.answered == 1
    assert "too long" in done.failed[0]


@pytest.mark.parametrize("options", [{"key": ""}, {"variables": {"RAGATE_OFFLINE": "yes"}}])
def test_without_a_key_nothing_can_be_fulfilled(waiting, server, options):
    asked = server.seen

    with pytest.raises(ProviderError, match="cannot be asked"):
        fulfilled(waiting, **options)

    assert server.seen == asked


def test_no_file_holds_the_key(waiting, server):
    server.reply = lambda _body: f"The key is {KEY}."
    done = fulfilled(waiting)
    assert KEY.encode() not in gzip.decompress(done.path.read_bytes())
    assert KEY not in pending_path(waiting).read_text()


def test_an_answer_that_is_still_missing_stays_unmeasured(waiting):
    report = checked(waiting, key="")

    assert report.facts.errors == 2
    assert {one["error"]["kind"] for one in outputs(waiting) if one.get("error")} == {"provider"}
