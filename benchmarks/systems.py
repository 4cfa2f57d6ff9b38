"""What ragate adds to a system: time over HTTP, and CPU for each sample of every kind of system.

Run: python -m benchmarks.systems
The service answers after 100 ms from a process of its own; 1,000 samples at 32 at once cannot take
less than 3.125 s. The other systems answer at once, so that what is left is ragate's own.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.answers.collected_outputs import run_pass
from ragate.models import Sample
from ragate.protocols import Resources, system_abilities

SAMPLES, AT_ONCE, DELAY_S, ROUNDS = 1000, 32, 0.1, 5
SERVICE = """
import asyncio
BODY = b'{"answer": "It is so [1].", "contexts": ["It is so, and it was so before."]}'
HEAD = b"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n"
async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).lower()
            await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\\r")[0]))
            await asyncio.sleep(DELAY)
            writer.write(HEAD % len(BODY) + BODY)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
ENGINE = """
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer

pages = [Document(text=f"Page {n} is about part {n}.", doc_id=f"p{n}.md") for n in range(20)]
index = VectorStoreIndex.from_documents(pages, embed_model=MockEmbedding(embed_dim=8))
counts = {"retrieve": 0, "synthesize": 0}


class Retriever(type(index.as_retriever())):
    def _retrieve(self, bundle):
        counts["retrieve"] += 1
        return super()._retrieve(bundle)


retriever = index.as_retriever(similarity_top_k=5)
retriever.__class__ = Retriever
synthesizer = get_response_synthesizer(llm=MockLLM(max_tokens=30))


class Synthesizer(type(synthesizer)):
    def synthesize(self, *given, **named):
        counts["synthesize"] += 1
        return super().synthesize(*given, **named)


synthesizer.__class__ = Synthesizer
engine = RetrieverQueryEngine(retriever=retriever, response_synthesizer=synthesizer)


def answer(query):
    return {"answer": "It is so [1].", "contexts": ["It is so, and it was so before."]}
"""
COMMAND = """
import json, sys
for line in sys.stdin:
    reply = {"id": json.loads(line)["id"], "answer": "It is so [1].", "contexts": ["It is so."]}
    print(json.dumps(reply), flush=True)
"""


def main() -> None:
    """Print one line a figure; the best of several rounds, since other work only adds."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "benchmarked.py").write_text(ENGINE)
        (root / "command.py").write_text(COMMAND)
        (root / "service.py").write_text(SERVICE.replace("DELAY", str(DELAY_S)))
        over_http(root)
        around_an_engine(root)
        in_a_worker(root)
        command = {"command": [sys.executable, "command.py"]}
        rounds = [asked(root, "command", command)[1] for _ in range(ROUNDS)]
        print(f"command: {min(rounds) / SAMPLES * 1000:.2f} ms CPU a sample")


def in_a_worker(root: Path) -> None:
    """Print what a worker takes beside code in this process: its own CPU too, and its start."""
    (root / "plain.py").write_text(ENGINE[ENGINE.index("def answer") :])
    took = {}
    for live in (True, False):
        for count in (SAMPLES, 3 * SAMPLES):
            rounds = [whole(root, count, live=live) for _ in range(ROUNDS)]
            took[live, count] = [min(each) for each in zip(*rounds, strict=True)]
    few, many = SAMPLES, 3 * SAMPLES
    for number, what in enumerate(("wall", "CPU")):
        here, there = (
            (took[live, many][number] - took[live, few][number]) / (many - few) * 1000
            for live in (True, False)
        )
        start = took[False, few][number] - took[True, few][number] - (there - here) * few / 1000
        print(
            f"python: {there:.3f} ms {what} a sample in a worker, {here:.3f} ms live: "
            f"{there - here:+.3f}; {start * 1000:.0f} ms once for its start and end"
        )


def whole(root: Path, count: int, *, live: bool) -> tuple[float, float]:
    """Return wall and CPU seconds of opening, one pass and closing; of all processes."""
    wall, cpu = time.perf_counter(), sum(os.times()[:4])
    asked(root, "python", {"target": "plain:answer"}, count=count, live=live)
    return time.perf_counter() - wall, sum(os.times()[:4]) - cpu


def over_http(root: Path) -> None:
    service = subprocess.Popen(
        [sys.executable, "service.py"], cwd=root, stdout=subprocess.PIPE, text=True
    )
    try:
        assert service.stdout is not None
        host = f"127.0.0.1:{service.stdout.readline().strip()}"
        settings = {"url": f"http://{host}/ask"}
        rounds = [asked(root, "http", settings, http_hosts=(host,)) for _ in range(ROUNDS)]
    finally:
        service.kill()
        service.wait()
    least = SAMPLES / AT_ONCE * DELAY_S
    took, cpu = min(rounds)
    print(
        f"http: {SAMPLES:,} samples at {DELAY_S * 1000:.0f} ms, {AT_ONCE} at once: {took:.2f} s, "
        f"{took / least:.2f} x the limit of {least:.3f} s; {cpu / SAMPLES * 1000:.2f} ms CPU each"
    )


def around_an_engine(root: Path) -> None:
    sys.path.insert(0, str(root))
    import benchmarked  # type: ignore[import-not-found]

    direct, through = [], []
    for _ in range(ROUNDS):
        started = time.process_time()
        for number in range(SAMPLES):
            benchmarked.engine.query(f"What is part {number}?")
        direct.append(time.process_time() - started)
        before = dict(benchmarked.counts)
        through.append(asked(root, "llamaindex", {"target": "benchmarked:engine"}, live=True)[1])
        made = {name: benchmarked.counts[name] - before[name] for name in before}
    added = (min(through) - min(direct)) / SAMPLES * 1000
    print(
        f"llamaindex: {added:.2f} ms CPU a sample added to the engine's own "
        f"{min(direct) / SAMPLES * 1000:.2f} ms; for {SAMPLES + 1:,} samples {made['retrieve']:,} "
        f"retrievals and {made['synthesize']:,} syntheses"
    )


def asked(
    root: Path, use: str, settings: Mapping[str, Any], *, count: int = SAMPLES, **fields: Any
) -> tuple[float, float]:
    """Return wall and CPU seconds of one pass; children's CPU is not ours."""
    return asyncio.run(_asked(root, use, settings, count, fields))


async def _asked(
    root: Path, use: str, settings: Mapping[str, Any], count: int, fields: Mapping[str, Any]
) -> tuple[float, float]:
    given: dict[str, Any] = {"chat": None, "embedder": None, "database": None, **fields}
    resources = Resources(
        root=root, state=root, concurrency=AT_ONCE, environment=dict(os.environ), **given
    )
    samples = [Sample(id=f"q{n}", query=f"What is part {n}?") for n in range(count)]
    async with plugins.system(use, settings, resources) as system:
        await system.prepare()
        limit = system_abilities(system).max_concurrency
        await system.answer(samples[0])
        wall, cpu = time.perf_counter(), time.process_time()
        outputs = await run_pass(
            system,
            samples,
            run=0,
            concurrency=limit or AT_ONCE,
            timeout_s=30,
            on_output=lambda *_: None,
        )
        took = time.perf_counter() - wall, time.process_time() - cpu
    failures = [one.error for one in outputs.values() if one.error]
    assert not failures, json.dumps(str(failures[0]))
    return took


if __name__ == "__main__":
    main()
