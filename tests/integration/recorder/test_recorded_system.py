"""Systems whose model calls are recorded, through the whole line."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import BudgetError, ConfigError, ProviderError
from ragate.models import Report, Verdict
from ragate.pipeline.baseline.baseline_from_run import baseline_files
from ragate.pipeline.baseline.record_baseline import update_baseline
from ragate.pipeline.baseline.write_baseline import BaselineOutcome
from ragate.pipeline.line import check
from ragate.pipeline.run.selection import Selection
from ragate.stores.local import LocalStore
from tests.integration.recorded_project import KEY, RecordedProject
from tests.servers.openai_server import FakeOpenAI, never_the_same, openai_server, status

pytestmark = pytest.mark.integration

ASYNC = """
    import openai

    async def answer(query):
        async with openai.AsyncOpenAI() as client:
            reply = await client.chat.completions.create(
                model="gpt-4o-mini", messages=[{"role": "user", "content": query}]
            )
        return reply.choices[0].message.content
"""
STREAMED = """
    import openai

    CLIENT = openai.OpenAI()

    def answer(query):
        parts = CLIENT.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": query}], stream=True
        )
        return "".join(part.choices[0].delta.content or "" for part in parts)
"""
CHAIN = """
    import openai

    CLIENT = openai.OpenAI()

    def ask(text):
        reply = CLIENT.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": text}]
        )
        return reply.choices[0].message.content

    def answer(query):
        return ask("Answer: " + ask("Rewrite: " + query))
"""
FALLBACK = """
    import openai

    CLIENT = openai.OpenAI()

    def answer(query):
        try:
            reply = CLIENT.chat.completions.create(
                model="gpt-4o-mini", messages=[{"role": "user", "content": query}]
            )
        except openai.OpenAIError:
            return "I am sorry, something went wrong."
        return reply.choices[0].message.content
"""
POOLED = """
    import openai
    from concurrent.futures import ThreadPoolExecutor

    CLIENT = openai.OpenAI()
    POOL = ThreadPoolExecutor(8)

    def ask(query):
        reply = CLIENT.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": query}]
        )
        return reply.choices[0].message.content

    def answer(query):
        return POOL.submit(ask, query).result()
"""
BLOCKING = """
    import openai

    CLIENT = openai.OpenAI()

    async def answer(query):
        reply = CLIENT.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": query}]
        )
        return reply.choices[0].message.content
"""
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


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.reply = never_the_same()
        yield fake


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI) -> RecordedProject:
    return RecordedProject(tmp_path, server.base_url)


def made(project: RecordedProject, **fields: Any) -> RecordedProject:
    """Return the project anew, with other code or settings."""
    return RecordedProject(project.root, project.base_url, **fields)


def record(project: RecordedProject, *, runs: int = 3, **variables: str) -> Any:
    operations = project.operations(**variables)
    return asyncio.run(update_baseline(project.config(), operations, runs=runs))


def checked(project: RecordedProject, *, key: str | None = None, **variables: str) -> Report:
    project.configure()  # a module that nobody has imported: another process, so to say
    return asyncio.run(
        check(project.config(), project.operations(key=key, **variables), Selection())
    )


def unaffected(project: RecordedProject, server: FakeOpenAI, **variables: str) -> Report:
    """Record, check without the provider, and see that nothing was asked."""
    record(project)
    asked = server.seen
    report = checked(project, key="", **variables)
    assert server.seen == asked
    assert report.decision.verdict is Verdict.PASSED, report.decision.reasons
    assert report.facts.affected == 0
    return report


def test_an_unchanged_project_asks_nothing_and_loses_nothing(project, server):
    record(project)
    asked = server.seen

    report = checked(project)

    assert asked == 3 * project.samples
    assert server.seen == asked
    assert report.decision.verdict is Verdict.PASSED
    assert report.facts.affected == 0
    assert report.facts.model_calls == 0
    assert report.facts.calls_reused == project.samples


def test_with_the_provider_switched_off_an_unaffected_run_is_complete(tmp_path):
    with openai_server() as fake:
        fake.reply = never_the_same()
        project = RecordedProject(tmp_path, fake.base_url)
        record(project)

    report = checked(project, key=KEY)

    assert report.decision.verdict is Verdict.PASSED
    assert (report.facts.affected, report.facts.unscored, report.facts.errors) == (0, 0, 0)


def test_after_editing_k_of_200_contexts_exactly_k_requests_go_out(project, server):
    # The model's luck with its words must not ask for a second pass.
    project = made(project, samples=200, policy="confirm = 0")
    record(project, runs=1)
    project.edit(7)
    asked = server.seen

    report = checked(project)

    assert server.seen - asked == 7
    assert report.facts.affected == 7
    assert report.facts.model_calls == 7
    assert report.facts.calls_reused == 193


def test_the_replies_of_a_check_are_there_for_the_next_one(project, server):
    record(project)
    project.edit(2)
    checked(project)
    asked = server.seen

    report = checked(project, key="")

    assert server.seen == asked
    assert report.facts.unscored == 0


@pytest.mark.parametrize("code", [ASYNC, STREAMED, CHAIN, BLOCKING])
def test_an_unaffected_run_is_free_however_the_code_asks(project, server, code):
    unaffected(made(project, code=code), server)


def test_a_chain_whose_first_answer_varies_is_replayed_pass_by_pass(project, server):
    project = made(project, code=CHAIN)
    unaffected(project, server)
    again = asyncio.run(check(project.config(), project.operations(key=""), Selection(runs=3)))

    assert again.facts.affected == 0


def test_a_llamaindex_engine_is_recorded_unchanged(project, server):
    system = 'use = "llamaindex"\ntarget = "{module}:engine"\ndoc_id = "source"'
    project = made(project, code=LLAMAINDEX, system=system)
    unaffected(project, server)
    project.edit(2)
    asked = server.seen

    report = checked(project)

    assert server.seen - asked == 2
    assert report.facts.affected == 2


def test_a_llamaindex_embedding_is_recorded_too(project, server):
    code = """
        from llama_index.embeddings.openai import OpenAIEmbedding

        MODEL = OpenAIEmbedding(model="text-embedding-3-small")

        def answer(query):
            vector = MODEL.get_query_embedding(query)
            return {"answer": "one", "chunks": [{"doc_id": str(round(vector[1], 3)), "text": "t"}]}
    """
    unaffected(made(project, code=code), server)


COMMAND = """
import json, sys
import openai

client = openai.OpenAI()
for line in sys.stdin:
    asked = json.loads(line)
    reply = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": asked["query"]}],
        extra_headers={"x-ragate-sample": asked["id"]},
    )
    print(json.dumps({"id": asked["id"], "answer": reply.choices[0].message.content}), flush=True)
"""


@pytest.mark.parametrize("keys", ["", "parallel = true\nrecord_header = true\n"])
def test_a_command_is_recorded(project, server, keys):
    (project.root / "rag.py").write_text(COMMAND)
    system = f'use = "command"\ncommand = ["{sys.executable}", "rag.py"]\n{keys}'
    unaffected(made(project, system=system), server)


SERVICE = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai

client = openai.OpenAI()

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def send(self, value):
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        self.send({"ok": True})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = client.chat.completions.create(
            model="gpt-4o-mini",
            messages=[{"role": "user", "content": body["query"]}],
            extra_headers={"x-ragate-sample": self.headers["x-ragate-sample"]},
        )
        self.send({"answer": reply.choices[0].message.content})

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_a_service_that_ragate_starts_is_recorded(project, server, unused_port):
    (project.root / "service.py").write_text(SERVICE)
    url = f"http://127.0.0.1:{unused_port}"
    system = (
        f'use = "http"\nurl = "{url}/ask"\nhealth = "{url}/up"\n'
        f'start = ["{sys.executable}", "service.py", "{unused_port}"]\nrecord_header = true'
    )
    policy = f'http_hosts = ["127.0.0.1:{unused_port}"]'
    unaffected(made(project, system=system, policy=policy), server)


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port: int = place.getsockname()[1]
        return port


def test_a_service_that_runs_elsewhere_cannot_be_recorded(project):
    project = made(project, system='use = "http"\nurl = "http://127.0.0.1:1/ask"')

    with pytest.raises(ConfigError, match="record needs start"):
        record(project)


def test_without_a_key_a_changed_sample_is_unscored_and_pending_never_wrong(project, server):
    record(project)
    project.edit(2)
    asked = server.seen

    report = checked(project, key="")

    assert server.seen == asked
    assert report.facts.errors == 2
    reasons = {one["error"]["message"] for one in outputs(project) if one.get("error")}
    assert reasons == {"model request is not recorded; fulfil it"}
    assert report.decision.verdict is not Verdict.FAILED
    header, *rows = project.pending()
    assert header == {"ragate_pending": 1}
    assert len(rows) == 2
    assert all("or so" in row["body"]["messages"][0]["content"] for row in rows)


def test_pending_requests_end_quickly_whatever_the_client_repeats(project, server):
    system = 'use = "llamaindex"\ntarget = "{module}:engine"\ndoc_id = "source"'
    project = made(project, code=LLAMAINDEX, system=system, samples=30)
    record(project, runs=1)
    project.edit(30)
    began = time.monotonic()

    checked(project, key="", RAGATE_CONCURRENCY="2")

    assert len(project.pending()) == 31
    # LlamaIndex repeats what may heal, seconds apart: for 31 questions that is minutes.
    assert time.monotonic() - began < 45


def outputs(project: RecordedProject) -> list[dict[str, Any]]:
    newest = max((project.root / ".ragate" / "runs").glob("*/outputs.jsonl"))
    return [json.loads(line) for line in newest.read_text().splitlines()[1:]]


@pytest.mark.parametrize("how", ["pending", "outage"])
def test_an_answer_made_without_the_model_does_not_count(project, server, how):
    project = made(project, code=FALLBACK)
    record(project)
    project = made(project, code=FALLBACK.replace('"content": query', '"content": query + "!"'))
    if how == "outage":
        server.faults = [status(503)] * 500

    checked(project, key="" if how == "pending" else KEY)

    assert {one["error"]["kind"] for one in outputs(project)} == {"provider"}


def test_a_run_that_is_offline_asks_nobody(project, server):
    record(project)
    project.edit(1)
    asked = server.seen

    report = checked(project, RAGATE_OFFLINE="1")

    assert server.seen == asked
    assert report.facts.errors == 1


def test_a_wrong_request_is_the_systems_own_failure(project, server):
    record(project)
    project.edit(1)
    server.faults = [status(400, message="too long")]

    checked(project)

    [failed] = [one["error"] for one in outputs(project) if one.get("error")]
    assert failed["kind"] == "system"
    assert "too long" in failed["message"]


def test_a_cap_of_the_policy_ends_the_run(project, server):
    project = made(project, policy="max_calls = 4")

    with pytest.raises(BudgetError, match="max_calls"):
        record(project)

    assert server.seen == 4


def test_a_baseline_is_not_recorded_without_a_key(project, server):
    with pytest.raises(ProviderError, match="cannot be asked"):
        record(project, key="")

    assert not project.recorded.exists()


def test_code_that_reads_the_same_replies_otherwise_is_affected(project, server):
    record(project)
    worse = project.code.replace("reply.choices[0].message.content", '"Nobody knows."')
    project.code = worse

    report = checked(project, key="")

    assert report.facts.model_calls == 0
    assert report.facts.affected == project.samples


def test_requests_of_a_pool_of_the_projects_own_are_nobodys(project, server):
    project = made(project, code=POOLED)
    record(project)
    asked = server.seen

    several = checked(project, key="")
    one = checked(project, key="", RAGATE_CONCURRENCY="1")

    assert server.seen == asked
    assert several.decision.verdict is one.decision.verdict is Verdict.PASSED


def test_the_file_of_replies_is_byte_stable_and_holds_no_question(project, server):
    record(project)
    first = project.recorded.read_bytes()
    text = gzip.decompress(first).decode()

    assert record(project).outcome in {BaselineOutcome.UNCHANGED, BaselineOutcome.WITHIN_NOISE}
    assert project.recorded.read_bytes() == first
    assert "What is the value" not in text
    assert "the 1. time" in text
    assert len(text.splitlines()) == 1 + project.samples
    assert KEY not in text


def test_another_prompt_makes_the_baseline_anew_although_the_scores_are_the_same(project, server):
    record(project)
    first = project.recorded.read_bytes()
    made(project, code=project.code.replace("{text}", "Say it. {text}"))

    assert record(project).outcome is BaselineOutcome.REPLACED
    assert project.recorded.read_bytes() != first


def test_a_run_that_becomes_the_baseline_brings_its_replies(project, server):
    record(project)
    project.edit(3)
    checked(project)
    folder = max((project.root / ".ragate" / "runs").glob("*"))
    config = project.config()
    run = LocalStore(project.root / ".ragate").load(folder)
    for path, content in baseline_files(config, run, folder / "outputs.jsonl").items():
        (project.root / path).write_bytes(content)
    (project.root / ".ragate" / "cache.sqlite").unlink()
    asked = server.seen

    report = checked(project, key="")

    assert server.seen == asked
    assert (report.facts.affected, report.facts.errors) == (0, 0)


def test_with_store_hashes_no_reply_is_written(project, server):
    project = made(project, policy='store = "hashes"')
    record(project)

    assert not project.recorded.exists()
    assert checked(project).decision.verdict is Verdict.PASSED


def test_a_project_that_stops_recording_loses_the_file(project, server, monkeypatch):
    record(project)
    project.configure()
    text = (project.root / "ragate.toml").read_text().replace("record = true", "")
    (project.root / "ragate.toml").write_text(text)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    record(project)

    assert not project.recorded.exists()


@pytest.mark.parametrize(
    ("policy", "system", "says"),
    [
        ("", 'record_provider = "other"', "did you mean|not in \\[policy.providers\\]"),
        (
            '[policy.providers.second]\nbase_url = "http://127.0.0.1:9/v1"',
            "",
            "which one is recorded",
        ),
    ],
)
def test_the_provider_must_be_one_of_the_policy(project, policy, system, says):
    system = f'use = "python"\ntarget = "{{module}}:answer"\n{system}'
    project = made(project, policy=policy, system=system)

    with pytest.raises(ConfigError, match=says):
        record(project)


def test_a_judge_that_would_follow_the_variables_is_refused(project):
    policy = '[policy.judge]\nuse = "llamaindex"\nllm = "llama_index.llms.openai:OpenAI"'
    project = made(project, policy=policy)

    with pytest.raises(ConfigError, match="would follow it"):
        record(project)


def test_code_that_asks_elsewhere_is_told_how_to_be_recorded(project, server, capsys):
    project = made(
        project,
        code=f"""
            import openai

            CLIENT = openai.OpenAI(base_url="{server.base_url}", api_key="none")

            def answer(query):
                reply = CLIENT.chat.completions.create(
                    model="gpt-4o-mini", messages=[{{"role": "user", "content": query}}]
                )
                return reply.choices[0].message.content
        """,
    )
    record(project, runs=1)

    assert "It must take OPENAI_BASE_URL" in capsys.readouterr().err


def test_the_key_is_nowhere(project, server):
    server.reply = lambda _body: f"Your key is {KEY}."
    record(project)
    project.edit(1)
    checked(project)
    checked(project, key="")

    for path in project.root.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            content += gzip.decompress(content) if path.suffix == ".gz" else b""
            assert KEY.encode() not in content, path
