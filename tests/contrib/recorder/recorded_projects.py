"""Projects whose calls are recorded."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from ragate.answers.run_profile import Selection
from ragate.baseline.recording.record_baseline import update_baseline
from ragate.models import Report, Verdict
from tests.integration.recorded_project import RecordedProject
from tests.runs import check
from tests.servers.openai_server import FakeOpenAI


def made(project: RecordedProject, **fields: Any) -> RecordedProject:
    """Return the project anew, with other code or settings."""
    return RecordedProject(project.root, project.base_url, **fields)


def record(project: RecordedProject, *, runs: int = 3, **variables: str) -> Any:
    operations = project.operations(**variables)
    config = project.config()
    # Some of these retrieve nothing: what is looked at is which calls are made.
    update = update_baseline(config, operations, runs=runs, accept=config.policy.gated)
    return asyncio.run(update)


def checked(project: RecordedProject, *, key: str | None = None, **variables: str) -> Report:
    project.configure()  # a module that nobody has imported: another process, so to say
    return asyncio.run(
        check(project.config(), project.operations(key=key, **variables), Selection())
    )


LLAMAINDEX = """
    from pathlib import Path

    from llama_index.core import PromptTemplate
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import get_response_synthesizer
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.llms.openai import OpenAI

    PASSAGES = Path(__file__).with_name("passages")

    class ByNumber(BaseRetriever):
        def _retrieve(self, query_bundle):
            name = query_bundle.query_str.split()[-1].rstrip("?") + ".md"
            text = (PASSAGES / name).read_text()
            return [NodeWithScore(node=TextNode(text=text, metadata={"source": name}), score=1.0)]

    def engine():
        llm = OpenAI(model="gpt-4o-mini")
        synthesizer = get_response_synthesizer(llm=llm, response_mode="compact")
        return RetrieverQueryEngine(retriever=ByNumber(), response_synthesizer=synthesizer)
"""


def unaffected(project: RecordedProject, server: FakeOpenAI, **variables: str) -> Report:
    """Record, check without the provider, and see that nothing was asked."""
    record(project, runs=1)
    asked = server.seen
    report = checked(project, key="", **variables)
    assert server.seen == asked
    assert report.decision.verdict is Verdict.PASSED, report.decision.reasons
    assert report.facts.affected == 0
    return report


def outputs(project: RecordedProject) -> list[dict[str, Any]]:
    newest = max((project.root / ".ragate" / "runs").glob("*/outputs.jsonl"))
    return [json.loads(line) for line in newest.read_text().splitlines()[1:]]
