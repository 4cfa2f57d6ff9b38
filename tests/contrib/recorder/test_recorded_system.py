"""Systems whose model calls are recorded, through the whole line."""

from __future__ import annotations

import asyncio
import gzip
import sys
from dataclasses import replace

import pytest

from ragate.answers.run_profile import Selection
from ragate.errors import ConfigError
from ragate.models import Verdict
from tests.contrib.recorder.recorded_projects import (
    LLAMAINDEX,
    checked,
    made,
    outputs,
    record,
    unaffected,
)
from tests.integration.recorded_project import KEY, PLAIN, SYNC
from tests.runs import check, collect
from tests.servers.faults import status
from tests.servers.ports import free_port

pytestmark = pytest.mark.integration


FALLBACK = f"""{PLAIN}
    ask = answer

    def answer(query):
        try:
            return ask(query)
        except httpx2.HTTPError:
            return "I am sorry, something went wrong."
"""


POOLED = f"""{PLAIN}
    from concurrent.futures import ThreadPoolExecutor

    POOL = ThreadPoolExecutor(8)
    ask = answer

    def answer(query):
        return POOL.submit(ask, query).result()
"""


def test_an_unchanged_project_asks_nothing_and_loses_nothing(project, server):
    project = made(project, code=SYNC)
    record(project, runs=1)
    asked = server.seen

    report = checked(project)

    assert asked == project.samples
    assert server.seen == asked
    assert report.decision.verdict is Verdict.PASSED
    assert report.facts.affected == 0
    assert report.facts.model_calls == 0
    assert report.facts.calls_reused == project.samples


WORKER = f'use = "python"\ntarget = "{{module}}:answer"\ninterpreter = ["{sys.executable}"]'


def test_a_worker_of_another_interpreter_is_recorded_sample_by_sample(project, server):
    project = made(project, system=WORKER)
    record(project)
    asked = server.seen
    project.edit(2)

    report = checked(project)

    assert asked == 3 * project.samples
    assert report.facts.affected == 2  # each request named its sample, side by side as they are
    assert server.seen > asked
    assert report.decision.verdict is Verdict.PASSED


def test_with_the_provider_switched_off_an_unaffected_run_is_complete(recorded):
    recorded.base_url = f"http://127.0.0.1:{free_port()}/v1"

    report = checked(recorded, key=KEY)

    assert report.decision.verdict is Verdict.PASSED
    assert (report.facts.affected, report.facts.unscored, report.facts.errors) == (0, 0, 0)


def test_a_provider_that_gives_nothing_was_asked_all_the_same(recorded):
    said: list[str] = []
    recorded.base_url = f"http://127.0.0.1:{free_port()}/v1"
    recorded.edit(recorded.samples)
    recorded.configure()
    told = replace(recorded.operations(), say=said.append)

    asyncio.run(check(recorded.config(), told, Selection()))

    assert "no model request came" not in " ".join(said)


def test_a_llamaindex_engine_is_recorded_unchanged(project, server):
    pytest.importorskip("llama_index.llms.openai")
    system = 'use = "llamaindex"\ntarget = "{module}:engine"\ndoc_id = "source"'
    project = made(project, code=LLAMAINDEX, system=system)
    unaffected(project, server)
    project.edit(2)
    asked = server.seen

    report = checked(project)

    assert server.seen - asked == 2
    assert report.facts.affected == 2


def test_a_llamaindex_embedding_is_recorded_too(project, server):
    pytest.importorskip("llama_index.embeddings.openai")
    code = """
        from llama_index.embeddings.openai import OpenAIEmbedding

        MODEL = OpenAIEmbedding(model="text-embedding-3-small")

        def answer(query):
            vector = MODEL.get_query_embedding(query)
            return {"answer": "one", "chunks": [{"doc_id": str(round(vector[1], 3)), "text": "t"}]}
    """
    unaffected(made(project, code=code), server)


ASK = """
import json, os, sys, urllib.request

def ask(query, sample):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": query}]}
    headers = {
        "authorization": "Bearer " + os.environ["OPENAI_API_KEY"],
        "content-type": "application/json",
        "x-ragate-sample": sample,
    }
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
"""
COMMAND = f"""{ASK}
for line in sys.stdin:
    asked = json.loads(line)
    answer = ask(asked["query"], asked["id"])
    print(json.dumps({{"id": asked["id"], "answer": answer}}), flush=True)
"""


@pytest.mark.parametrize("keys", ["", "parallel = true\nrecord_header = true\n"])
def test_a_command_is_recorded(project, server, keys):
    (project.root / "rag.py").write_text(COMMAND)
    system = f'use = "command"\ncommand = ["{sys.executable}", "rag.py"]\n{keys}'
    unaffected(made(project, system=system), server)


SERVICE = (
    f"{ASK}"
    """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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
        self.send({"answer": ask(body["query"], self.headers["x-ragate-sample"])})

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
)


def test_a_service_that_ragate_starts_is_recorded(project, server):
    (project.root / "service.py").write_text(SERVICE)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    system = (
        f'use = "http"\nurl = "{url}/ask"\nhealth = "{url}/up"\n'
        f'start = ["{sys.executable}", "service.py", "{port}"]\nrecord_header = true'
    )
    policy = f'http_hosts = ["127.0.0.1:{port}"]'
    unaffected(made(project, system=system, policy=policy), server)


def test_a_service_that_runs_elsewhere_cannot_be_recorded(project):
    project = made(project, system='use = "http"\nurl = "http://127.0.0.1:1/ask"')

    with pytest.raises(ConfigError, match="record needs start"):
        record(project)


@pytest.mark.parametrize("how", ["pending", "outage"])
def test_an_answer_made_without_the_model_does_not_count(recorded, server, how):
    recorded.code = FALLBACK.replace("{query}", "{query}!")
    if how == "outage":
        server.faults = [status(503, retry_after="90")] * 500  # longer than it is waited for

    checked(recorded, key="" if how == "pending" else KEY)

    assert {one["error"]["kind"] for one in outputs(recorded)} == {"provider"}


def test_a_wrong_request_is_the_systems_own_failure(recorded, server):
    recorded.code = PLAIN.replace(".raise_for_status().json()", ".json()").replace(
        "told =", "assert 'choices' in reply, reply\n        told ="
    )
    recorded.edit(1)
    server.faults = [status(400, message="too long")]

    checked(recorded)

    [failed] = [one["error"] for one in outputs(recorded) if one.get("error")]
    assert failed["kind"] == "system"
    assert "too long" in failed["message"]


def test_code_that_reads_the_same_replies_otherwise_is_affected(recorded):
    recorded.code = PLAIN.replace('"answer": told', '"answer": "Nobody knows."')

    report = checked(recorded, key="")

    assert report.facts.model_calls == 0
    assert report.facts.affected == recorded.samples


def test_requests_of_a_pool_of_the_projects_own_are_nobodys(project, server):
    project = made(project, code=POOLED)
    record(project, runs=1)
    asked = server.seen

    several = checked(project, key="")
    one = checked(project, key="", RAGATE_CONCURRENCY="1")

    assert server.seen == asked
    assert several.decision.verdict is one.decision.verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("policy", "system", "says"),
    [
        ("", 'record_provider = "other"', "did you mean|not in \\[policy.providers\\]"),
        (
            '[policy.providers.second]\nbase_url = "http://127.0.0.1:9/v1"',
            "",
            "which one is recorded",
        ),
        (
            '[policy.providers.second]\nbase_url = "http://127.0.0.1:9/v1"\nprotocol = "anthropic"',
            'record_provider = "second"',
            "protocol = 'anthropic': calls of OpenAI's|no such protocol",
        ),
    ],
)
def test_the_provider_must_be_one_of_the_policy(project, policy, system, says):
    system = f'use = "python"\ntarget = "{{module}}:answer"\n{system}'
    project = made(project, policy=policy, system=system)

    with pytest.raises(ConfigError, match=says):
        record(project)


def test_outputs_are_collected_without_a_look_at_that_judge(project, tmp_path):
    policy = '[policy.judge]\nuse = "llamaindex"\nllm = "llama_index.llms.openai:OpenAI"'
    project = made(project, policy=policy)
    operations, outputs = project.operations(), tmp_path / "outputs.jsonl"

    collected = asyncio.run(collect(project.config(), operations, Selection(), outputs=outputs))

    assert all(output.error is None for output in collected.passes[0].values())


def test_code_that_asks_elsewhere_is_told_how_to_be_recorded(project, server, capsys):
    elsewhere = PLAIN.replace('os.environ["OPENAI_BASE_URL"]', repr(server.base_url))
    record(made(project, code=elsewhere), runs=1)

    assert "It must take OPENAI_BASE_URL" in capsys.readouterr().err


def test_the_key_is_nowhere(project, server):
    server.reply = lambda _body: f"Your key is {KEY}."
    record(project, runs=1)
    project.edit(1)
    checked(project)
    checked(project, key="")

    for path in project.root.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            content += gzip.decompress(content) if path.suffix == ".gz" else b""
            assert KEY.encode() not in content, path
