"""Projects whose system repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["command", "python"]

[policy.metrics.number_recall]
level = "error"
[policy.metrics.token_f1]

[system]
{system}
"""


PYTHON = 'use = "python"\ntarget = "answers_of_a_test:answer"'


CODE = """\
import json
from pathlib import Path

HERE = Path(__file__).parent

def answer(query):
    found = json.loads((HERE / "answers.json").read_text())
    asked = HERE / "asked.txt"
    with asked.open("a") as file:
        file.write(query + "\\n")
    told = found[query]
    if isinstance(told, list):
        told = told[(asked.read_text().count(query + "\\n") - 1) % len(told)]
    return {"answer": told, "contexts": ["The prices of all years."]}
"""


SERVE = """\
import json, os, sys
from answers_of_a_test import answer
with open("sessions.txt", "a") as file:
    file.write(f"{os.getpid()}\\n")
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], **answer(asked["query"])}), flush=True)
"""


class Project:
    """Thirty questions on prices, answered from a file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        rows: list[dict[str, Any]] = []
        for number in range(30):
            said = f"The price of item {number} was {100 + number} euros."
            question = f"What was the price of item {number}?"
            rows.append({"id": f"q{number:02}", "query": question, "references": [said]})
        (root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.right = {row["query"]: row["references"][0] for row in rows}
        (root / "answers_of_a_test.py").write_text(CODE)
        (root / "serve.py").write_text(SERVE)

    def configure(self, system: str = PYTHON) -> None:
        (self.root / "ragate.toml").write_text(CONFIG.format(system=system))

    def answer(self, **changed: Any) -> None:
        """Answer rightly, but for the items `changed` (``_3="…"``)."""
        answers: dict[str, Any] = dict(self.right)
        for item, said in changed.items():
            answers[f"What was the price of item {item[1:]}?"] = said
        (self.root / "answers.json").write_text(json.dumps(answers))

    def asked(self) -> list[str]:
        """Return the questions since the last look."""
        path = self.root / "asked.txt"
        found = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return found

    def decision(self) -> dict[str, Any]:
        newest = max((self.root / ".ragate" / "runs").glob("*/report.json"))
        found: dict[str, Any] = json.loads(newest.read_text())["decision"]
        return found
