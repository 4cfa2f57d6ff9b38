"""Projects whose golden set is drafted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

PROVIDER = """
[policy.providers.local]
base_url = "{url}"

[policy.metrics.contains]
level = "warn"
"""


def asked(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def answer(body: dict[str, Any]) -> str:
    """Answer as a model would: what the document says, or a question on it."""
    text = asked(body)
    facts = re.findall(r"Our (\w+) come from orchard (\d+)\.", text)
    quotes = [f"Our {topic} come from orchard {number}." for topic, number in facts]
    if "Question: " in text:
        return quotes[0] if quotes else "NOT ANSWERED"
    found = {"question": f"Which orchard has the {' and '.join(t for t, _ in facts)}?"}
    if "that the document does not answer" in text:
        found = {"question": f"What do {facts[0][0]} cost in winter in Peru?"}
    elif "in passing" in text:
        found = {"question": f"I just bought {facts[1][0]}, now who grows {facts[0][0]}?"}
        found |= {"answer": quotes[0], "quotes": quotes[:1]}  # type: ignore[dict-item]
    elif "needs both" in text:
        found |= {"answer": " ".join(quotes), "quotes": quotes}  # type: ignore[dict-item]
    else:
        found |= {"answer": quotes[0], "quotes": quotes[:1]}  # type: ignore[dict-item]
    return f"```json\n{json.dumps(found)}\n```"


def golden(project: Path) -> bytes:
    return (project / "golden.jsonl").read_bytes()
