"""Reports and targets of publishing."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.github.event.event import Event, PullRef, RepositoryRef
from ragate.github.event.inputs import Inputs
from ragate.github.publish import VerdictTarget
from ragate.github.publish.publisher import Published, Publisher
from ragate.github.publish.workflow_commands import Log
from ragate.github.rest.repository import Repository
from ragate.models import MetricVerdict, Report, RunFacts, Verdict
from tests.container.grammar import Log as Read
from tests.container.grammar import parse_pairs, read_log
from tests.factories import decision_factory, metric_row_factory, report_factory
from tests.servers.github_stub import TOKEN, GitHub

HEAD, BASE, NEWER = "a" * 40, "b" * 40, "c" * 40


HERE = RepositoryRef(id=1)
PULL = PullRef(number=7, head_sha=HEAD, base_ref="main", base_repository=HERE, head_repository=HERE)


EVENT = Event(
    name="pull_request", action="synchronize", repository="octo-org/handbook", sha="d" * 40,
    ref="refs/pull/7/merge", run_id=42, run_attempt=1,
    run_url="https://github.com/octo-org/handbook/actions/runs/42/attempts/1", actor="octocat",
    default_branch="main", pull=PULL,
)  # fmt: skip


TARGET = VerdictTarget("docs", HEAD, 7)


def report_of(verdict: Verdict = Verdict.FAILED, **fields: Any) -> Report:
    """Return a report; a failed one has lost 6.5 points, a passed one is unchanged."""
    row = {
        Verdict.FAILED: metric_row_factory(
            "faithfulness", 0.91, 0.845, MetricVerdict.REGRESSED, blocks=True, worse=17, better=4
        ),
        Verdict.PASSED: metric_row_factory(verdict=MetricVerdict.UNCHANGED),
    }.get(verdict, metric_row_factory(baseline=None, verdict=MetricVerdict.SHOWN))
    facts = RunFacts(samples=200, affected=156, model_calls=1316, cost_usd=3.05)
    given: dict[str, Any] = {"gate": "docs", "head": HEAD, "facts": facts}
    return report_factory(decision_factory(verdict, [row]), **(given | fields))


RED = report_of(Verdict.FAILED)


@dataclass
class World:
    """One run: what it published, and what the runner reads of it."""

    github: GitHub
    repository: Repository | None
    folder: Path
    inputs: Inputs = field(default_factory=Inputs)
    event: Event = EVENT
    stream: io.StringIO = field(default_factory=io.StringIO)

    @property
    def environ(self) -> dict[str, str]:
        return {
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
        }

    def publisher(self) -> Publisher:
        log = Log(self.stream, secrets=[TOKEN])
        return Publisher(self.inputs, self.event, self.repository, self.environ, log)

    def finish(self, report: Report, exit_code: int | None = None, **more: Any) -> Published:
        code = report.decision.exit_code if exit_code is None else exit_code
        return self.publisher().finish(TARGET, report, exit_code=code, **more)

    def log(self) -> Read:
        return read_log(self.stream.getvalue())

    def outputs(self) -> dict[str, str]:
        found, problem = parse_pairs((self.folder / "output").read_text())
        assert problem is None
        return found

    def summary(self) -> str:
        return (self.folder / "summary").read_text()

    def statuses(self) -> list[tuple[str, str, str]]:
        return [
            (one["context"], one["state"], one["description"]) for one in self.github.statuses[HEAD]
        ]

    def comments(self) -> list[str]:
        return [one["body"] for one in self.github.comments[7]]
