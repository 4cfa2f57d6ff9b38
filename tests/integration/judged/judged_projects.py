"""Projects whose answers are judged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.servers.model import is_judgement
from tests.servers.openai_server import FakeOpenAI

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


def configure(project: Path, server: FakeOpenAI, *, policy: str = "") -> None:
    config = (project / "ragate.toml").read_text().split("\n[policy.providers")[0]
    config = config.replace("[policy]\n", f"[policy]\n{policy}\n", 1) if policy else config
    (project / "ragate.toml").write_text(config + JUDGED.format(url=server.base_url))


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
