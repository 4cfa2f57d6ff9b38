"""One small RAG over one corpus, reached by every system; and real engines of LlamaIndex."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate import plugins
from ragate.database import PostgresDatabase
from ragate.models import Reads, SystemOutput
from tests.factories import sample_factory
from tests.integration.rag import write
from tests.servers.rag_server import RagServer, Request, rag_server
from tests.unit.systems.using import asked, info, module, resources_of

pytestmark = pytest.mark.integration
PAGES = {
    "pump.txt": "The pump is blue. It weighs nine kilograms.",
    "warranty.txt": "Every pump has a warranty of two years.",
    "valve.txt": "The valve is made of brass and opens to the left.",
    "motor.txt": "The motor has a power of two kilowatts.",
    "returns.txt": "A pump that is returned within a month is paid back.",
}
QUESTIONS = {
    "colour": ("Which colour is the pump, is it blue?", "pump.txt"),
    "warranty": ("How long is the warranty of a pump?", "warranty.txt"),
    "valve": ("To which side does the valve open?", "valve.txt"),
    "power": ("What power has the motor?", "motor.txt"),
    "back": ("When is a returned pump paid back?", "returns.txt"),
}
SAMPLES = [
    sample_factory(name, query=query, relevant={page: 1}, references=(PAGES[page],))
    for name, (query, page) in QUESTIONS.items()
]
METRICS = ("ndcg@3", "mrr", "recall@1", "precision@3")
# Dense search over hashed words: the same vectors as the built-in system's.
RAG = """
import asyncio
from pathlib import Path
from ragate.embedders import hashing

FOLDER = Path(__file__).parent / "docs"
NAMES = sorted(path.name for path in FOLDER.iterdir())
TEXTS = [(FOLDER / name).read_text() for name in NAMES]
EMBED = hashing.create({"dimensions": 512}, None)
VECTORS = None

async def answer(query):
    global VECTORS
    if VECTORS is None:
        VECTORS = await EMBED(TEXTS)
    scores = VECTORS @ (await EMBED([query]))[0]
    best = sorted(range(len(NAMES)), key=lambda n: (-float(scores[n]), NAMES[n]))[:3]
    chunks = [{"doc_id": NAMES[n], "text": TEXTS[n], "score": float(scores[n])} for n in best]
    return {"answer": chunks[0]["text"] + " [1]", "chunks": chunks}
"""
COMMAND = """
import asyncio, json, sys
from RAG import answer
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **asyncio.run(answer(request["query"]))}), flush=True)
"""
MCP = """
from mcp.server.mcpserver import MCPServer
from RAG import answer

server = MCPServer("rag")

@server.tool()
async def ask(query: str) -> dict:
    return await answer(query)

server.run("stdio")
"""
ENGINE = """
import asyncio
from llama_index.core.base.response.schema import Response
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode
from RAG import answer

def scored(chunk):
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=chunk["doc_id"])}
    return NodeWithScore(
        node=TextNode(text=chunk["text"], relationships=source), score=chunk["score"]
    )

class Engine(CustomQueryEngine):
    def custom_query(self, query_str):
        reply = asyncio.run(answer(query_str))
        return Response(reply["answer"], source_nodes=[scored(one) for one in reply["chunks"]])

engine = Engine()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        write(tmp_path / "docs" / name, text)
    return tmp_path


@pytest.fixture
def rag(project: Path) -> str:
    """The name of the RAG's module."""
    return module(project, RAG)


def run(use: str, settings: dict[str, Any], root: Path, **fields: Any) -> list[SystemOutput]:
    return asyncio.run(asked(use, settings, resources_of(root, **fields), SAMPLES))


def embedders(table: Any) -> Any:
    own = {key: value for key, value in table.items() if key != "use"}
    return plugins.load("embedders", table["use"]).create(own, None)


def built_in(project: Path, database: PostgresDatabase, **more: Any) -> dict[str, Any]:
    settings = {
        "corpus": "docs",
        "retrieval": "dense",
        "embedder": {"use": "hashing", "dimensions": 512},
        "top_k": 3,
        **more,
    }
    return {"settings": settings, "root": project, "database": database, "embedder": embedders}


@pytest.fixture
def service(project: Path, rag: str) -> Iterator[RagServer]:
    sys.path.insert(0, str(project))
    try:
        answer = __import__(rag).answer
    finally:
        sys.path.remove(str(project))

    def reply(request: Request) -> Any:
        found = asyncio.run(answer(request.json["query"]))
        return {"result": {"text": found["answer"], "hits": found["chunks"]}}

    with rag_server(reply) as server:
        yield server


POINTERS = {
    "answer": "/result/text",
    "contexts": "/result/hits/*/text",
    "ids": "/result/hits/*/doc_id",
    "scores": "/result/hits/*/score",
}


def scores(outputs: list[SystemOutput]) -> dict[str, list[float | None]]:
    pairs = list(zip(SAMPLES, outputs, strict=True))
    made: dict[str, Any] = {name: plugins.metric(name, samples=SAMPLES) for name in METRICS}
    return {
        name: [score.value for score in metric.score_samples(pairs)]
        for name, metric in made.items()
    }


def test_the_same_rag_has_the_same_ids_and_metrics_through_every_system(
    project: Path, rag: str, service: RagServer, database: PostgresDatabase
) -> None:
    (project / "command.py").write_text(COMMAND.replace("RAG", rag))
    (project / "mcp_server.py").write_text(MCP.replace("RAG", rag))
    engine = module(project, ENGINE.replace("RAG", rag))
    found = {
        "pgvector": run("pgvector", **built_in(project, database)),
        "python": run("python", {"target": f"{rag}:answer"}, project),
        "command": run("command", {"command": [sys.executable, "command.py"]}, project),
        "http": run(
            "http",
            {"url": service.url, "pointers": POINTERS},
            project,
            http_hosts=(service.host,),
        ),
        "mcp": run("mcp", {"command": [sys.executable, "mcp_server.py"], "tool": "ask"}, project),
        "llamaindex": run("llamaindex", {"target": f"{engine}:engine"}, project),
    }
    write(
        project / "outputs/one.jsonl",
        "".join(
            json.dumps({"id": sample.id, **output.model_dump(mode="json", exclude_none=True)})
            + "\n"
            for sample, output in zip(SAMPLES, found["python"], strict=True)
        ),
    )
    settings = {"paths": ["outputs/*.jsonl"]}
    found["replay"] = run("replay", settings, project, replay_paths=("outputs/*.jsonl",))

    ids = {
        use: [[chunk.doc_id for chunk in output.chunks] for output in outputs]
        for use, outputs in found.items()
    }
    measured = {use: scores(outputs) for use, outputs in found.items()}
    # A new one stands in this test as well; scores come without documents.
    assert sorted(ids) == [name for name in plugins.names("systems") if name != "scores"]
    for use in ids:
        assert ids[use] == ids["pgvector"], use
        assert measured[use] == measured["pgvector"], use
    assert 0.5 < sum(filter(None, measured["python"]["mrr"])) / len(SAMPLES) <= 1.0
    answers = {use: [one.answer for one in outputs] for use, outputs in found.items()}
    assert answers["python"] == answers["http"] == answers["command"]
    assert answers["python"] == answers["llamaindex"] == answers["mcp"]


@pytest.mark.parametrize("retrieval", ["dense", "hybrid"])
def test_hashed_vectors_make_dense_search_without_a_model_that_repeats_exactly(
    project: Path, database: PostgresDatabase, retrieval: str
) -> None:
    made = built_in(project, database, retrieval=retrieval)
    first, second = run("pgvector", **made), run("pgvector", **made)

    assert [output.chunks for output in first] == [output.chunks for output in second]
    assert first[1].chunks[0].doc_id == "warranty.txt"
    told = info("pgvector", **made)
    assert told.deterministic == {Reads.RETRIEVAL, Reads.ANSWER}


def test_an_approximate_index_is_not_called_exact(
    project: Path, database: PostgresDatabase
) -> None:
    assert info("pgvector", **built_in(project, database, index="hnsw")).deterministic == set()


REAL = """
from llama_index.core import Document, MockEmbedding, Settings, VectorStoreIndex
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer

PAGES = {pages!r}
EMBED, LLM = MockEmbedding(embed_dim=4), MockLLM(max_tokens=20)
documents = [Document(text=text, doc_id=name) for name, text in PAGES.items()]
index = VectorStoreIndex.from_documents(documents, embed_model=EMBED)
retriever = index.as_retriever(similarity_top_k=2)
engine = index.as_query_engine(llm=LLM, similarity_top_k=2)
streaming = index.as_query_engine(llm=LLM, similarity_top_k=2, streaming=True)

def chat():
    # The default memory keeps a database open, and leaves closing it to the collector.
    memory = ChatMemoryBuffer.from_defaults(llm=LLM)
    return ContextChatEngine.from_defaults(retriever=retriever, llm=LLM, memory=memory)

counts = {{"retrieve": 0, "synthesize": 0}}
class Counting(type(retriever)):
    def _retrieve(self, bundle):
        counts["retrieve"] += 1
        return super()._retrieve(bundle)
retriever.__class__ = Counting
engine.retriever.__class__ = Counting
class Writing(type(engine._response_synthesizer)):
    def synthesize(self, *given, **named):
        counts["synthesize"] += 1
        return super().synthesize(*given, **named)
engine._response_synthesizer.__class__ = Writing
"""


def test_real_engines_of_llama_index_are_asked_once_a_sample(project: Path) -> None:
    name = module(project, REAL.format(pages=PAGES))

    for target, call in (
        ("engine", "sync"),
        ("streaming", "sync"),
        ("engine", "async"),
        ("streaming", "async"),
        ("chat", "sync"),
        ("chat", "async"),
        ("retriever", "sync"),
        ("retriever", "async"),
    ):
        counts = getattr(sys.modules.get(name), "counts", {"retrieve": 0, "synthesize": 0})
        before = dict(counts)
        counted = (target, call) == ("engine", "sync")
        settings = {"target": f"{name}:{target}", "call": call}
        # In this process, which has imported the library, and where calls are counted.
        outputs = run("llamaindex", settings, project, live=True)
        for output in outputs:
            assert output.error is None, (target, call, output.error)
            assert len(output.chunks) == 2, (target, call)
            assert {chunk.doc_id for chunk in output.chunks} <= set(PAGES)
            assert all(chunk.text == PAGES[chunk.doc_id] for chunk in output.chunks)
            assert (output.answer is None) == (target == "retriever")
            assert output.answer != "", (target, call)
        if counted:
            made = {key: sys.modules[name].counts[key] - before[key] for key in before}
            assert made == {"retrieve": len(SAMPLES), "synthesize": len(SAMPLES)}
