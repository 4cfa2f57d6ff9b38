"""A project whose own code asks a model, with the `openai` package or without what it costs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.cli.operations import operations
from ragate.config import Config, find_config, load_config
from ragate.resources.operations import Operations
from tests.unit.systems.using import module

KEY = "sk-canary-4f2d9b7e1c"
SYNC = """
    import openai
    from pathlib import Path

    CLIENT = openai.OpenAI()
    CLIENT.chat.completions  # imported now: the first question is as quick as the others
    PASSAGES = Path(__file__).with_name("passages")

    def answer(query):
        number = query.split()[-1].rstrip("?")
        text = (PASSAGES / f"{number}.md").read_text()
        reply = CLIENT.chat.completions.create(
            model="gpt-4o-mini",
            messages=[{"role": "user", "content": f"{text}\\n\\n{query}"}],
            temperature=0,
        )
        return {
            "answer": reply.choices[0].message.content,
            "chunks": [{"doc_id": f"{number}.md", "text": text}],
        }
"""
# The same without the package, whose import is most of what a short run costs.
PLAIN = """
    import os
    from pathlib import Path

    import httpx2

    CLIENT = httpx2.Client(
        base_url=os.environ["OPENAI_BASE_URL"],
        headers={"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
        timeout=60,
        verify=False,  # authorities take a while to load
    )
    PASSAGES = Path(__file__).with_name("passages")

    def answer(query):
        number = query.split()[-1].rstrip("?")
        text = (PASSAGES / f"{number}.md").read_text()
        body = {
            "model": "gpt-4o-mini",
            "messages": [{"role": "user", "content": f"{text}\\n\\n{query}"}],
            "temperature": 0,
        }
        reply = CLIENT.post("/chat/completions", json=body).raise_for_status().json()
        told = reply["choices"][0]["message"]["content"]
        return {"answer": told, "chunks": [{"doc_id": f"{number}.md", "text": text}]}
"""
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["python", "command", "http", "llamaindex"]
{policy}

[policy.providers.openai]
base_url = "{base_url}"
key_env  = "TEST_OPENAI_KEY"

[policy.metrics."recall@5"]
level = "error"
[policy.metrics.token_f1]
level = "error"
{metrics}
[system]
record = true
{system}
"""


@dataclass
class RecordedProject:
    """A folder of passages, a question on each, and a gate on code that asks a model."""

    root: Path
    base_url: str
    samples: int = 6
    code: str = PLAIN
    policy: str = ""
    metrics: str = ""
    system: str = 'use = "python"\ntarget = "{module}:answer"'
    key: str = KEY
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.root / "passages").mkdir(exist_ok=True)
        for number in range(self.samples):
            self.write(number, f"The value of {number} is {number} apples.")
        rows = [
            {
                "id": f"q{number}",
                "query": f"What is the value of {number}?",
                "relevant": {f"{number}.md": 1},
                "references": [f"The value of {number} is {number} apples."],
            }
            for number in range(self.samples)
        ]
        (self.root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.configure()

    def configure(self) -> None:
        """Write the configuration; the code becomes a module that nobody has imported yet."""
        name = module(self.root, self.code)
        system = self.system.replace("{module}", name)
        text = CONFIG.format(
            base_url=self.base_url, policy=self.policy, metrics=self.metrics, system=system
        )
        (self.root / "ragate.toml").write_text(text)

    def write(self, number: int, text: str) -> None:
        (self.root / "passages" / f"{number}.md").write_text(text)

    def edit(self, count: int) -> None:
        """Change the first `count` passages."""
        for number in range(count):
            self.write(number, f"The value of {number} is {number} apples, or so.")

    def config(self) -> Config:
        return load_config(find_config(self.root, named=self.root / "ragate.toml"))

    def operations(self, *, key: str | None = None, **variables: str) -> Operations:
        """Return how to run; `key` of "" runs without one."""
        given = self.key if key is None else key
        keys = {"TEST_OPENAI_KEY": given} if given else {}
        base = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        environment: Mapping[str, str] = {**base, **self.environment, **keys, **variables}
        return operations(self.root, environment)

    @property
    def recorded(self) -> Path:
        return self.root / "baselines" / "gate.requests.jsonl.gz"

    def pending(self) -> list[dict[str, Any]]:
        path = self.root / ".ragate" / "pending.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
