"""Checks end to end with a real language model: what is recorded, said of nothing, and of damage.

    python -m benchmarks.real_model --questions 40 --no-ops 10 --output FILE

SmolLM2 (135 million parameters) behind llama.cpp's server on one thread writes the answers to
questions of ClapNQ, which has to lie beside the project. Every step asks all answers anew: a no-op
changes a field of the request that the server does not read. The packages are those of
requirements/model.txt and `ragate[embedded]`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.first_sentences import questions, ragate
from benchmarks.shares import measured_at, print_lines
from tests.servers.llama import MODEL, llama

MEASURED = "ragate/cli ragate/run ragate/gate ragate/core/decision ragate/renderers"
DOCUMENTS = 100
# Where the questions of a report begin, a line of one, and what it blames.
LISTED = re.compile(r"ook at \d+ question|\d+ questions? got worse|\d+ that got|^All metrics")
ID = re.compile(r"-?\d{12,} · ")
BLAMED = re.compile(r"same documents|fewer documents|retrieval(?=: )|data(?=: )|cause unknown")
CONFIG = """\
[policy]
dataset     = "golden.jsonl"
baseline    = "baseline.json"
systems     = ["pgvector"]
gate        = "docs"
max_minutes = 600

[policy.providers.local]
base_url = "{address}"

[policy.judge]
use        = "rubric"
provider   = "local"
model      = "{model}"
max_tokens = 30
timeout_s  = 3000

[policy.metrics."recall@2"]
[policy.metrics.idf_f1]
[policy.metrics.entity_support]
[policy.metrics.complete_answer]
[policy.metrics.relevancy]
level = "{level}"

[system]
use       = "pgvector"
corpus    = "corpus"
retrieval = "hybrid"
top_k     = {top_k}
embedder  = {{use = "hashing"}}

[system.answer]
use         = "chat"
provider    = "local"
model       = "{model}"
temperature = {temperature}
max_tokens  = 40
parameters  = {{user = "{user}"}}
"""


class Step(NamedTuple):
    """What is done to the project, and what ragate is asked.

    Attributes:
        level: Of the judged metric.
        user: A field of the request that changes no answer, only what is remembered.
        keep: Of the documents every how-manieth; 1 for all.
    """

    name: str
    words: tuple[str, ...] = ("check", "--format", "markdown", "--output", "report.md")
    level: str = "warn"
    top_k: int = 2
    user: str = "recorded"
    keep: int = 1


def steps(runs: int, no_ops: int) -> list[Step]:
    record = ("baseline", "update", "--runs", str(runs))
    return [
        Step("record, the judge may block", record, level="error"),
        Step("record, the judge may only warn", record),
        Step("check, nothing changed"),
        *(Step(f"no-op {number}", user=f"no-op-{number}") for number in range(1, no_ops + 1)),
        Step("top_k 1", top_k=1),
        Step("half of the documents", keep=2),
    ]


def prepare(folder: Path, step: Step, temperature: float, address: str, count: int) -> None:
    texts, rows = questions("clapnq")
    (folder / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:count]))
    relevant = (cast("dict[str, int]", row["relevant"]) for row in rows[:count])
    wanted = {key for keys in relevant for key in keys}
    corpus = dict(sorted(texts.items(), key=lambda each: each[0] not in wanted)[:DOCUMENTS])
    kept = [each for place, each in enumerate(corpus.items()) if place % step.keep == 0]
    (folder / "corpus").mkdir(exist_ok=True)
    (folder / "corpus" / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": key, "text": text}) + "\n" for key, text in kept)
    )
    told = CONFIG.format(
        address=address,
        model=MODEL,
        level=step.level,
        top_k=step.top_k,
        temperature=temperature,
        user=step.user,
    )
    (folder / "ragate.toml").write_text(told)


def said(folder: Path, printed: subprocess.CompletedProcess[str]) -> Iterator[str]:
    """Yield what was printed, and the report of a check without the texts of its questions."""
    for line in (printed.stdout + printed.stderr).splitlines():
        yield f"      {line.rstrip()}"
    report = folder / "report.md"
    if report.exists():
        text = unescape(re.sub(r"<[^>]+>", "", report.read_text()))
        report.unlink()
        told = [line.rstrip() for line in text.splitlines() if line.strip()]
        head = next(place for place, line in enumerate(told) if LISTED.search(line))
        blamed = Counter(cause for line in told if ID.match(line) for cause in BLAMED.findall(line))
        yield from (f"    | {line}" for line in told[:head])
        yield f"    blamed: {', '.join(f'{count} x {cause}' for cause, count in blamed.items())}"
        yield f"    | {told[-1]}"


def lines(count: int, runs: int, no_ops: int, temperatures: list[float]) -> Iterator[str]:
    yield measured_at(MEASURED)
    yield ""
    yield f"{count} questions of ClapNQ, answers by SmolLM2-135M of at most 40 tokens, {runs} runs"
    os.environ["RAGATE_TIMEOUT_S"] = "3000"
    with llama(kept_mb=4096) as server:
        for temperature in temperatures:
            yield ""
            yield f"temperature {temperature:g}"
            folder = Path(tempfile.mkdtemp())
            subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
            for step in steps(runs, no_ops):
                prepare(folder, step, temperature, server.base_url, count)
                started = time.monotonic()
                printed = ragate(folder, *step.words)
                took = time.monotonic() - started
                yield ""
                yield f"  {step.name}: exit {printed.returncode}, {took:.0f} s"
                yield from said(folder, printed)
            ragate(folder, "db", "stop")
            shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-ops", type=int, default=10)
    parser.add_argument("--temperature", type=float, nargs="*", default=[0.0, 0.7])
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    told = lines(chosen.questions, chosen.runs, chosen.no_ops, chosen.temperature)
    print_lines(told, chosen.output)


if __name__ == "__main__":
    main()
