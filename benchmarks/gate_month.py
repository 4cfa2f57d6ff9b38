"""What a gate costs a month: calls and tokens of real runs against a loopback server, then priced.

    python -m benchmarks.gate_month

The project is this manual with a hundred of its questions. What is sent is counted, a token as four
characters; a reply has the length that `ragate check --estimate` takes it to have, since the
server's own say nothing of a real model's. Prices are the package's list. `MONTH` is an assumption.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.judged_projects import run_python, write_lines
from ragate.clients.prices import price_of
from ragate.run.estimate import ANSWER_TOKENS, CHARS_PER_TOKEN, JUDGEMENT_TOKENS
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.servers.process import Model

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = 100
ANSWERING, JUDGING = "gpt-4.1-mini", "gpt-4.1"
KINDS = {"answers": ANSWERING, "verdicts": JUDGING, "canaries": JUDGING}
MONTH = """\
60 pull requests of two pushes: 90 runs change nothing of the RAG, 15 the prompt, 15 three pages;
of these 30 runs 6 look bad and are asked twice more; 15 merges are recorded; 30 nights
"""
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["pgvector"]
[policy.metrics."recall@5"]
max_drop = 0.1
%s
[system]
use = "pgvector"
corpus = "docs"
chunk_size = 256
retrieval = "bm25"
top_k = 5
"""
ANSWERED = f"""
[system.answer]
use = "chat"
provider = "models"
model = "{ANSWERING}"
prompt = "prompt.txt"
"""
PROVIDER = """
[policy.metrics.token_f1]
level = "warn"
[policy.providers.models]
base_url = "%s"
"""
JUDGED = f"""
[policy.judge]
use = "rubric"
provider = "models"
model = "{JUDGING}"
[policy.metrics.faithfulness]
[policy.metrics.relevancy]
[policy.metrics.correctness]
"""
PROMPT = "Answer from these passages.\n{{ contexts }}\n{{ question }}\n"


@dataclass
class Spent:
    """What was asked: calls by kind, and the tokens that went out with them."""

    calls: Counter[str]
    tokens: Counter[str]

    @property
    def usd(self) -> float:
        """Return the price of all of it."""
        total = 0.0
        for kind, number in self.calls.items():
            price = price_of(KINDS[kind], {})
            assert price is not None
            written = ANSWER_TOKENS if kind == "answers" else JUDGEMENT_TOKENS
            total += price.of(input_tokens=self.tokens[kind], output_tokens=number * written)
        return total

    def line(self) -> str:
        calls = ", ".join(f"{self.calls[kind]} {kind}" for kind in KINDS if self.calls[kind])
        return f"{calls or 'no call'}; {self.tokens.total():,} tokens in; ${self.usd:.2f}"


class Meter:
    """A model that answers and judges, and counts."""

    def __init__(self, fake: FakeOpenAI) -> None:
        self.model = Model(fake)
        self.clear()

    def clear(self) -> None:
        self.spent = Spent(Counter(), Counter())

    def __call__(self, body: dict[str, Any]) -> str:
        before = vars(self.model.counted).copy()
        text = self.model(body)
        (kind,) = (one for one in KINDS if vars(self.model.counted)[one] > before[one])
        self.spent.calls[kind] += 1
        sent = sum(len(one["content"]) for one in body["messages"])
        self.spent.tokens[kind] += sent // CHARS_PER_TOKEN
        return text


def questions() -> list[dict[str, Any]]:
    rows = map(json.loads, (ROOT / "evals/golden.jsonl").read_text().splitlines())
    return [row for row in rows if row.get("references") and row.get("relevant")][:QUESTIONS]


def main() -> None:
    print(MONTH)
    for name, policy, system in (
        ("retrieval only", "", ""),
        (f"answers by {ANSWERING}", PROVIDER, ANSWERED),
        (f"and judged by {JUDGING}", PROVIDER + JUDGED, ANSWERED),
    ):
        with openai_server() as fake, tempfile.TemporaryDirectory() as folder:
            meter = Meter(fake)
            fake.reply, fake.keep = meter, False
            project = Path(folder)
            shutil.copytree(ROOT / "docs", project / "docs")
            write_lines(project / "golden.jsonl", questions())
            (project / "prompt.txt").write_text(PROMPT)
            policy = policy % fake.base_url if policy else ""
            (project / "ragate.toml").write_text(CONFIG % policy + system)
            print(f"\n{name}: {QUESTIONS} questions, 5 passages each")
            month(project, meter)


def month(project: Path, meter: Meter) -> None:
    """Measure each kind of run, then add up a month."""

    def spend(name: str, *command: str) -> float:
        meter.clear()
        code = ["-c", "from ragate.cli.main import main; main()", *command]
        done = run_python(code, project, {})
        if done.code not in (0, 1):
            raise SystemExit(done.said)
        if "--estimate" in command:
            print(done.said)
        else:
            print(f"  {name}: {meter.spent.line()}")
        return meter.spent.usd

    recording = spend("baseline of 3 passes", "baseline", "update")
    nothing = spend("nothing changed, and a night", "check")
    (project / "prompt.txt").write_text(PROMPT.replace("Answer", "Answer briefly"))
    spend("", "check", "--estimate")
    prompt = spend("another prompt", "check")
    (project / "prompt.txt").write_text(PROMPT)
    for page in sorted((project / "docs").glob("*.md"))[:30:10]:
        page.write_text(re.sub(r"\bthe\b", "that", page.read_text()))
    pages = spend("three edited pages", "check")
    changed = 15 * (prompt + pages) + 6 * (prompt + pages)  # six runs have two more passes each
    print(f"  a month: ${changed + 15 * recording + (90 + 30) * nothing:.2f}")
    asked = (30 + 12 + 30) * prompt + 15 * recording
    print(f"  a month where every run asks all questions, nights too: ${asked:.2f}")


if __name__ == "__main__":
    main()
