"""A team's first week with the gate, day by day, on one repository."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.container.runner import StepResult, run_step
from tests.e2e.action.forge import ROOT, Change, Forge
from tests.e2e.action.talk import say, upload
from tests.e2e.command import ragate
from tests.integration.conftest import open_folder
from tests.night import by_night
from tests.projects import TOPICS
from tests.servers.github_stub import github_stub
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = [pytest.mark.e2e, pytest.mark.integration, by_night]
KEY = "sk-canary-76543210fedcba"
GATE = "docs"
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/docs.json"
systems = ["pgvector"]
runs = 2
{waiver}
[policy.metrics."recall@5"]
level = "error"
max_drop = 0.15
[policy.metrics.token_f1]
level = "error"
max_drop = 0.0
[policy.metrics.faithfulness]
level = "error"

[policy.providers.local]
base_url = "{url}"
key_env = "TEST_KEY"
[policy.judge]
use = "rubric"
provider = "local"
model = "{judge}"

[system]
use = "pgvector"
corpus = "docs"
chunk_size = 128
chunk_overlap = 16
top_k = 5
"""
WAIVER = """
[[policy.waivers]]
id = "apples"
metric = "token_f1"
owner = "fruit"
reason = "the month is under review"
until = 2099-12-31
"""
Files = dict[str, bytes | None]


def page(topic: str, number: int, month: int | None = None) -> bytes:
    text = f"Our {topic} come from orchard {number}. They are picked in month {month or number}."
    return f"# About {topic}\n\n{text}\n".encode()


def golden(**renamed: str) -> bytes:
    rows = [
        {
            "id": topic,
            "query": f"Where do the {topic} come from?",
            "relevant": {renamed.get(topic, f"{topic}.md"): 1},
            "references": [f"Our {topic} come from orchard {number}."],
        }
        for number, topic in enumerate(TOPICS)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


class Week:
    """The repository, the model behind the judge, and what happens in a week."""

    def __init__(self, forge: Forge, model: FakeOpenAI) -> None:
        self.forge, self.model = forge, model
        self.number = 0

    def config(self, *, judge: str = "judge-1", waiver: str = "") -> bytes:
        return CONFIG.format(url=self.model.base_url, judge=judge, waiver=waiver).encode()

    def propose(self, files: Files, *, fork: str = "") -> Change:
        """Open the next pull request."""
        self.number += 1
        change = self.forge.change(files, number=self.number, fork=fork)
        self.forge.github.git.move(f"change-{self.number}", change.head)
        self.model.requests.clear()
        return change

    def check(self, change: Change, **options: Any) -> StepResult:
        workspace = self.forge.checkout(change.merge)
        run = 100 + change.number
        result = self.forge.check(
            change, workspace=workspace, run_id=run, env={"TEST_KEY": KEY}, **options
        )
        self.forge.github.add_run(run, head_sha=change.head)
        upload(self.forge, run, f"ragate-{GATE}-{change.head}-1", workspace / ".ragate/result")
        return result

    def merge(self, change: Change) -> StepResult:
        """Merge it, and let the main branch's workflow run."""
        change.pull |= {"state": "closed", "merged_at": "2026-11-20T12:00:00Z"}
        assert self.forge.github.git.move("main", change.merge, self.forge.base)
        result = run_step(
            ROOT,
            workspace=self.forge.checkout(change.merge),
            event_name="push",
            event={
                "ref": "refs/heads/main",
                "before": self.forge.base,
                "repository": self.forge.repository(),
            },
            inputs={"mode": "baseline"},
            env={"TEST_KEY": KEY, **self.forge.env},
            sha=change.merge,
            ref="refs/heads/main",
            api_url=self.forge.github.url,
        )
        assert result.exit_code == 0, result.log
        self.forge.base = self.forge.github.git.resolve("refs/heads/main")
        return result

    def baseline(self) -> dict[str, Any]:
        entry = self.forge.github.git.entry("refs/heads/main", "baselines/docs.json")
        assert entry is not None
        found: dict[str, Any] = json.loads(self.forge.github.git.read(entry.sha))
        return found

    def comment(self, number: int) -> str:
        (found,) = [
            str(one["body"])
            for one in self.forge.github.comments[number]
            if str(one["body"]).startswith("<!-- ragate:1")
        ]
        return found


@pytest.fixture
def week(tmp_path: Path) -> Iterator[Week]:
    state = open_folder()
    with openai_server() as model, github_stub(tmp_path / "github") as github:
        model.reply = answers_and_judges()
        forge = Forge(github, tmp_path, env={"RAGATE_STATE_DIR": str(state)})
        forge.start({f"docs/{topic}.md": page(topic, n) for n, topic in enumerate(TOPICS)})
        yield Week(forge, model)
    ragate(tmp_path, "db", "stop", env={"RAGATE_STATE_DIR": str(state)})
    shutil.rmtree(state, ignore_errors=True)


def test_the_first_week(week: Week):
    _monday_the_gate_comes(week)
    _tuesday_nothing_and_something_breaks(week)
    _wednesday_the_judge_is_newer(week)
    _thursday_a_page_is_renamed_and_a_stranger_helps(week)
    _friday_the_queue_and_a_flaky_question(week)


def _monday_the_gate_comes(week: Week) -> None:
    change = week.propose({"ragate.toml": week.config(), "golden.jsonl": golden()})
    first = week.check(change)
    assert (first.exit_code, first.outputs["verdict"]) == (0, "bootstrap"), first.log
    assert "does not block" in week.comment(1)

    assert week.merge(change).outputs["verdict"] == "recorded"
    assert week.baseline()["runs"] == 2


def _tuesday_nothing_and_something_breaks(week: Week) -> None:
    noop = week.propose({"web/index.html": b"<p>hello</p>"})
    result = week.check(noop)
    assert (result.exit_code, result.outputs["affected"]) == (0, "0"), result.log
    assert result.outputs["model-calls"] == "0"
    assert week.model.requests == []
    assert week.merge(noop).outputs["verdict"] == "kept"

    lost: Files = {f"docs/{topic}.md": b"# Empty\n\nNothing.\n" for topic in TOPICS[4:]}
    red = week.propose(lost)
    result = week.check(red)
    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed"), result.log
    assert week.model.requests == []  # red before a cent went to the judge
    assert "/ragate accept" in week.comment(red.number)

    told = f'/ragate accept {red.head[:7]} recall@5 token_f1 "we sell no such fruit any more"'
    accepted = say(week.forge, told, number=red.number)
    assert accepted.outputs["verdict"] in ("passed", "no_decision"), accepted.log
    repaired = week.propose(
        {f"docs/{topic}.md": page(topic, n, 9) for n, topic in enumerate(TOPICS)}
    )
    assert week.check(repaired).exit_code == 0
    week.merge(repaired)


def _wednesday_the_judge_is_newer(week: Week) -> None:
    before = week.baseline()["judge"]
    change = week.propose({"ragate.toml": week.config(judge="judge-2")})
    result = week.check(change)
    assert result.exit_code == 0, result.log
    assert all(body["model"] == "judge-1" for _, _, body in week.model.requests)
    assert "judge-2" in week.comment(change.number)

    assert week.merge(change).outputs["verdict"] == "recorded"
    assert week.baseline()["judge"] != before


def _thursday_a_page_is_renamed_and_a_stranger_helps(week: Week) -> None:
    renamed = week.propose(
        {
            "docs/plums.md": None,
            "docs/stone-fruit.md": page("plums", TOPICS.index("plums"), 9),
            "golden.jsonl": golden(plums="stone-fruit.md"),
        }
    )
    result = week.check(renamed)
    assert result.exit_code in (0, 1), result.log
    assert "plums.md" in week.comment(renamed.number)
    assert week.merge(renamed).outputs["verdict"] == "recorded"
    after = week.propose({"docs/new.md": b"# Opening hours\n\nWe open at nine.\n"})
    assert week.check(after).exit_code == 0

    stranger = week.propose({"docs/hours.md": b"# Hours\n\nNine to five.\n"}, fork="kind/docs")
    collected, lines = week.forge.collect(stranger, inputs={"gate": GATE})
    assert collected.exit_code == 0, collected.log
    decided = week.forge.decide(stranger, lines, env={"TEST_KEY": KEY}, inputs={"gate": GATE})
    assert (decided.exit_code, decided.outputs["verdict"]) == (0, "passed"), decided.log
    assert week.forge.states(stranger.head)[-1] == "success"


def _friday_the_queue_and_a_flaky_question(week: Week) -> None:
    queued = week.propose({"web/about.html": b"<p>us</p>"})
    group = {"base_sha": week.forge.base, "head_sha": queued.merge, "base_ref": "refs/heads/main"}
    result = week.forge.check(
        queued,
        event_name="merge_group",
        payload={
            "action": "checks_requested",
            "merge_group": group,
            "repository": week.forge.repository(),
        },
        env={"TEST_KEY": KEY},
    )
    assert result.exit_code == 0, result.log
    assert week.forge.states(queued.merge)[-1] == "success"

    flaky: Files = {"docs/apples.md": b"# About apples\n\nApples come in month one from us.\n"}
    assert week.check(week.propose(flaky)).exit_code == 1
    waived = week.propose({"ragate.toml": week.config(judge="judge-2", waiver=WAIVER)})
    assert week.check(waived).exit_code == 0
    week.merge(waived)
    again = week.propose(flaky)
    result = week.check(again)
    assert result.exit_code == 0, result.log
    assert "waived: " in week.comment(again.number)
