"""Cranfield through the built-in RAG: effectiveness, and the time of every step.

Run: python benchmarks/cranfield.py [--data FOLDER] [--top-k 100]
The collection is not part of this project; see `--data` for where it is looked for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ragate.database import PostgresDatabase
from ragate.models import Sample
from ragate.protocols import Resources
from ragate.systems.pgvector import create

DATA = Path(__file__).parents[1] / ".." / "shared" / "data" / "cranfield"
SETTINGS: dict[str, Any] = {
    "chunk_size": 8000,
    "chunk_overlap": 0,
    "bm25": {"stemmer": "english", "k1": 1.2, "b": 0.75},
}


def main() -> None:
    """Print one line a step and one a metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="a BEIR folder")
    parser.add_argument("--top-k", type=int, default=100)
    parser.add_argument("--url", default="", help="another Postgres than the embedded one")
    options = parser.parse_args()
    if not (options.data / "corpus.jsonl").exists():
        parser.exit(1, f"{options.data} holds no corpus.jsonl\n")
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        state.chmod(0o755)  # as root, the server runs as another account
        asyncio.run(measure(options.data.resolve(), state, options.top_k, options.url))


async def measure(data: Path, state: Path, top_k: int, url: str) -> None:
    """Ingest twice, ask every question, print what came of it."""
    samples = read_samples(data)
    qrels = {sample.id: sample.relevant for sample in samples}
    clock = Clock()
    with PostgresDatabase(state, url=url or None) as database:
        database.conninfo()
        clock("server start")
        resources = Resources(
            root=data.parent,
            state=state,
            database=database,
            chat=_no_model,
            embedder=_no_model,
            top_k=top_k,
            retrieval_only=True,
        )
        async with create({"corpus": data.name, **SETTINGS}, resources) as system:
            await system.prepare(rebuild=True)
            clock("ingest")
            await system.prepare()
            clock("ingest again, nothing changed")
            outputs = [await system.answer(sample) for sample in samples]
            clock(f"{len(samples)} questions")
    clock("server stop")
    ranked = {
        sample.id: [chunk.doc_id for chunk in output.chunks]
        for sample, output in zip(samples, outputs, strict=True)
    }
    for name, metric in METRICS.items():
        print(f"{name:32} {mean(metric, ranked, qrels):.4f}")


def read_samples(data: Path) -> list[Sample]:
    """Return the questions of a BEIR folder with their judgements."""
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (data / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        qrels[query][document] = int(grade)
    lines = (data / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [Sample(id=row["_id"], query=row["text"], relevant=qrels[row["_id"]]) for row in rows]


class Clock:
    """Prints the seconds since it was last asked."""

    def __init__(self) -> None:
        self._last = time.perf_counter()

    def __call__(self, what: str) -> None:
        now = time.perf_counter()
        print(f"{what:32} {now - self._last:.2f} s")
        self._last = now


def ndcg_10(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return the gain of the first ten over the best possible one (linear gain)."""
    gains = [max(grades.get(document, 0), 0) for document in ranking[:10]]
    ideal = sorted((max(grade, 0) for grade in grades.values()), reverse=True)[:10]
    best = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal, start=1))
    found = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
    return found / best if best else 0.0


def recall_100(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return the share of the relevant documents among the first hundred."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant & set(ranking[:100])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return 1 / rank of the first relevant document, 0 where none was found."""
    ranks = (rank for rank, document in enumerate(ranking, 1) if grades.get(document, 0) > 0)
    return 1 / next(ranks, math.inf)


Ranking = Callable[[Sequence[str], Mapping[str, int]], float]
METRICS: dict[str, Ranking] = {
    "ndcg@10": ndcg_10,
    "recall@100": recall_100,
    "mrr": reciprocal_rank,
}


def mean(
    metric: Ranking, ranked: Mapping[str, Sequence[str]], qrels: Mapping[str, Mapping[str, int]]
) -> float:
    """Return the mean over all questions; a document counts once, at its best rank."""
    scores = [metric(list(dict.fromkeys(ranked[name])), qrels[name]) for name in ranked]
    return sum(scores) / len(scores)


def _no_model(_wanted: object) -> NoReturn:
    raise SystemExit("this benchmark uses no model")


if __name__ == "__main__":
    main()
