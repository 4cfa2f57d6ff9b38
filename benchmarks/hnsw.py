"""Search by vectors at size: the HNSW graph against exact search, and the ingestion of vectors.

Run: python -m benchmarks.hnsw [--url URL]
Vectors are drawn round random centres (fixed seed) and scaled to length 1, which is kinder to a
graph than uniform noise and less kind than real texts.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np
import numpy.typing as npt

from ragate.database import PostgresDatabase
from ragate.systems.pgvector import tables
from ragate.systems.pgvector.metadata import Conditions
from ragate.systems.pgvector.ranked_search import Hit, Question, by_vector
from ragate.systems.pgvector.settings import HnswSettings, Settings
from ragate.systems.pgvector.tables import Connection, Index, build_graph, store_vectors

LARGE, SMALL = (100_000, 384), (3_633, 1_536)
QUESTIONS = 200
TOP = 10
ROUNDS = 5  # the best one counts: other work on the machine only adds
EF = (40, 100, 200)
Vectors = npt.NDArray[np.float32]
Ask = Callable[[Vectors], Awaitable[list[Hit]]]
EXACT = Settings.model_validate(
    {"corpus": "docs", "retrieval": "dense", "embedder": {"use": "hashing"}}
)


def main() -> None:
    """Print one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="", help="another Postgres than the embedded one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        state.chmod(0o755)  # as root, the server runs as another account
        with PostgresDatabase(state, url=options.url or None) as database:
            asyncio.run(measure(database.conninfo()))


async def measure(conninfo: str) -> None:
    connection = await tables.connect(conninfo)
    try:
        await exact_only(connection)
        await graph(connection)
    finally:
        await connection.close()


async def exact_only(connection: Connection) -> None:
    rows, questions = clustered(*SMALL)
    async with connection.transaction():
        index = await filled(connection, rows, "small")
    async with connection.transaction():
        _, times = await asked(questions, search(index, EXACT))
    print(f"exact, {SMALL[0]:,} x {SMALL[1]:,}: {told(times)}")


async def graph(connection: Connection) -> None:
    rows, questions = clustered(*LARGE)
    started = time.perf_counter()
    async with connection.transaction():
        index = await filled(connection, rows, "large")
    print(f"ingestion of {len(rows):,} prepared vectors: {time.perf_counter() - started:.1f} s")
    async with connection.transaction():
        right, times = await asked(questions, search(index, EXACT))
    print(f"exact, {LARGE[0]:,} x {LARGE[1]}: {told(times)}")
    started = time.perf_counter()
    async with connection.transaction():
        await build_graph(index, EXACT.hnsw)
    print(f"the graph (m = 16, ef_construction = 64): {time.perf_counter() - started:.0f} s")
    for ef in EF:
        async with connection.transaction():
            settings = EXACT.amended(index="hnsw", hnsw=HnswSettings(ef_search=ef))
            found, times = await asked(questions, search(index, settings))
        shared = [len(set(a) & set(b)) / TOP for a, b in zip(found, right, strict=True)]
        print(f"hnsw, ef_search = {ef}: {told(times)}, recall@{TOP} {np.mean(shared):.3f}")


async def filled(connection: Connection, rows: Vectors, key: str) -> Index:
    """Return an index that holds the vectors and nothing else."""
    index = await tables.create(connection, f"benchmark {key}", "benchmark")
    places = [(f"d{number:06}", 0) for number in range(len(rows))]
    index = await store_vectors(index, places, rows, EXACT)
    return replace(index, chunks=len(rows))


def search(index: Index, settings: Settings) -> Ask:
    """Return what finds the nearest of a vector."""

    async def nearest(vector: Vectors) -> list[Hit]:
        return await by_vector(index, Question({}, {}, vector, Conditions()), settings, TOP)

    return nearest


async def asked(questions: Vectors, ask: Ask) -> tuple[list[list[str]], list[float]]:
    """Return what was found for each question, and how long each took in the best of the rounds."""
    rounds = []
    for _ in range(ROUNDS):
        found, times = [], []
        for one in questions:
            started = time.perf_counter()
            hits = await ask(one)
            times.append(time.perf_counter() - started)
            found.append([hit.doc_id for hit in hits])
        rounds.append(times)
    return found, min(rounds, key=median)


def told(times: list[float]) -> str:
    return f"p50 {median(times) * 1000:.1f} ms, p95 {quantiles(times, n=20)[-1] * 1000:.1f} ms"


def clustered(count: int, dimension: int) -> tuple[Vectors, Vectors]:
    """Return unit vectors round random centres, and questions of the same kind."""
    dice = np.random.default_rng(0)
    centres = dice.normal(size=(max(count // 100, 10), dimension))

    def drawn(number: int) -> Any:
        own = centres[dice.integers(0, len(centres), number)]
        made = own + 0.7 * dice.normal(size=(number, dimension))
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)

    return drawn(count), drawn(QUESTIONS)


if __name__ == "__main__":
    main()
