"""Projects that need more than files: a Postgres, a server of tools, a collector, own code.

What a command finds outside of its project stands in variables: `$POSTGRES` and `$COLLECTOR`.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.seeds.projects import (
    PROJECTS,
    configure,
    project,
    record_baseline,
    write_rows,
)
from tests.integration.systems.mcp.servers import stdio_server
from tests.projects import TOPICS, write_docs_project

HYBRID = """\
retrieval = "hybrid"
prefix = "headings"
path_fields = ["company"]
filter_by = ["company"]
parents = { use = "section" }
embedder = { use = "hashing", dimensions = 64 }
hybrid = { weight = 0.7 }
"""


@project
def documents(_url: str) -> None:
    """Pages of two companies, found by words and vectors together; each question names one."""
    write_docs_project(Path())
    lines = []
    for number, line in enumerate(Path("golden.jsonl").read_text().splitlines()):
        company, row = f"company-{number % 2}", json.loads(line)
        page = f"{company}/{TOPICS[number]}.md"
        Path("docs", company).mkdir(exist_ok=True)
        Path("docs", f"{TOPICS[number]}.md").rename(Path("docs", page))
        lines.append({**row, "relevant": {page: 1}, "metadata": {"company": company}})
    write_rows("golden.jsonl", lines)
    path = Path("ragate.toml")
    path.write_text(path.read_text().replace('retrieval = "bm25"\n', HYBRID))
    assert run(["baseline", "update"]) == 0


@project
def tools(url: str) -> None:
    """A tool that lets its client's model write the answer."""
    Path("servers").mkdir()
    command = json.dumps(stdio_server(Path()))
    configure(f'\n[policy.providers.openai]\nbase_url = "{url}"\n[policy.metrics.exact_match]\n')
    path = Path("ragate.toml")
    policy = path.read_text().partition("[system]")[0].replace('"replay"', '"mcp"')
    path.write_text(
        f'{policy}[system]\nuse = "mcp"\ncommand = {command}\ntool = "sampled"\n'
        '[system.sampling]\nprovider = "openai"\nmodel = "gpt-4.1-nano"\n'
    )
    reference = ["the model said A draft of an answer."]
    rows = [{"id": f"q{n}", "query": f"What of {n}?", "references": reference} for n in range(6)]
    write_rows("golden.jsonl", rows)


CLAUDE = """
[policy.providers.anthropic]
protocol = "anthropic"
base_url = "{url}"
key_env  = "ANTHROPIC_API_KEY"
"""


@project
def claude(url: str) -> None:
    """The pack of eight stages, judged by Claude; its server stands in `$CLAUDE`."""
    PROJECTS["rag_pack"](url)
    path = Path("ragate.toml")
    text = path.read_text().replace('"gpt-5-nano"', '"claude-haiku-4-5"')
    text = text.replace('provider = "openai"', 'provider = "anthropic"')
    path.write_text(text + CLAUDE.format(url=os.environ["CLAUDE"]))


@project
def archive(_url: str) -> None:
    """What BEIR gives for download, where it was downloaded elsewhere."""
    PROJECTS["nfcorpus"](_url)
    shutil.make_archive("nfcorpus", "zip", "beir", "nfcorpus")
    shutil.rmtree("beir")


@project
def foreign_questions(_url: str) -> None:
    """Questions as the guide and the packs write them."""
    guide = {
        "id": "query-001",
        "query": "What is the status of STIP?",
        "expectedProposalIds": ["abc-123"],
        "referenceAnswer": "It has been executed.",
        "tags": ["status"],
    }
    case = {
        "id": "rag-001",
        "input": {"query": "What was the revenue?"},
        "expected": {"answer": "It was 4.", "relevant_docs": ["10k"], "behavior": "answer"},
        "metadata": {"complexity_level": 2},
    }
    Path("testQueries.json").write_text(json.dumps([guide]))
    Path("cases.json").write_text(json.dumps([case]))


STAGE = """
from ragate.models import MetricInfo, Score
from ragate.plugin_kit import own_counter, own_histogram

looked = own_counter("my_stage.looked", "{answer}")
lengths = own_histogram("my_stage.words", "{word}")


class Length:
    state = {}

    def __init__(self, request):
        self.info = MetricInfo(name=request.name, fingerprint="length 1")

    def score_samples(self, pairs):
        return [self.score(sample, output) for sample, output in pairs]

    def score(self, sample, output):
        words = (output.answer or "").split()
        looked(1)
        lengths(len(words))
        value = float(len(words) < 20)
        details = {"words": len(words), "first": words[0] if words else ""}
        return Score(self.info.name, value, details=details)


def length(request):
    return Length(request)
"""


@project
def own_stage(_url: str) -> None:
    """A stage of one's own, which says more than its score."""
    Path("stages.py").write_text(STAGE)
    configure('\n[policy.metrics."stages:length"]\n')
    rows = [{"id": f"q{n}", "query": f"What of {n}?"} for n in range(6)]
    write_rows("golden.jsonl", rows)
    write_rows("outputs/run0.jsonl", [{**row, "answer": "Nothing at all."} for row in rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path().resolve()))
        record_baseline()
