"""Baselines that another judge reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragate.cli.main import run
from tests.projects import ReplayProject
from tests.servers.model import is_judgement
from tests.servers.openai_server import FakeOpenAI

SAMPLES = 6


JUDGE = """
[policy.metrics.retrieved_tokens]
level = "warn"

[policy.providers.local]
base_url = "{url}"
key_env = "TEST_KEY"

[policy.judge]
use = "{use}"
provider = "local"
model = "{model}"
"""


class Gate(ReplayProject):
    """A replay project with a judge and some judged metrics."""

    def judged_by(
        self,
        server: FakeOpenAI,
        *names: str,
        store: str = "answers",
        model: str = "judge-1",
        use: str = "rubric",
    ) -> None:
        tables = "".join(f'\n[policy.metrics.{name}]\nlevel = "warn"\n' for name in names)
        judge = JUDGE.format(url=server.base_url, use=use, model=model)
        self.configure(policy=f'store = "{store}"', metrics=judge + tables)

    @property
    def file(self) -> Path:
        return self.root / "baselines" / "gate.json"

    def scores(self, name: str) -> list[Any]:
        """Return what the baseline holds of one metric, None where it holds nothing."""
        samples = json.loads(self.file.read_text())["samples"].values()
        return [one["scores"].get(name) for sample in samples for one in sample["outputs"]]


def ours(server: FakeOpenAI) -> list[str]:
    """Return the judge's messages on our questions."""
    sent = [body for _, _, body in server.requests if is_judgement(body)]
    texts = [body["messages"][1]["content"] for body in sent]
    return [text for text in texts if "What is the value" in text]


def recorded(gate: Gate, server: FakeOpenAI, *names: str, **settings: str) -> None:
    """Record a baseline by one judge, and configure another."""
    gate.judged_by(server, *names, **settings)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.judged_by(server, *names, **settings, model="judge-2")
    server.requests.clear()
