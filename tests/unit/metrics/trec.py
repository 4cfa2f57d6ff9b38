"""Reading runs and judgements in TREC's and BEIR's formats."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

from ragate.models import RetrievedChunk, Sample, SystemOutput
from ragate.protocols import Pair

Judgements = dict[str, dict[str, int]]
Rankings = dict[str, list[str]]


def read_run(path: Path) -> Rankings:
    """Return document ids by query in trec_eval's order: score, then id, both descending."""
    scored: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in path.read_text().splitlines():
        query, _, doc_id, _, score, *_ = line.split()
        scored[query].append((float(score), doc_id))
    return {
        query: [doc_id for _, doc_id in sorted(rows, reverse=True)]
        for query, rows in scored.items()
    }


def read_trec_qrels(path: Path) -> Judgements:
    judgements: Judgements = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, doc_id, grade = line.split()
        judgements[query][doc_id] = int(grade)
    return dict(judgements)


def read_beir_qrels(path: Path) -> Judgements:
    judgements: Judgements = defaultdict(dict)
    with path.open(newline="") as file:
        for query, doc_id, grade in list(csv.reader(file, delimiter="\t"))[1:]:
            judgements[query][doc_id] = int(grade)
    return dict(judgements)


def pairs_of(judgements: Judgements, rankings: Rankings) -> list[Pair]:
    """Return a sample and an output for each judged query, in order of the judgements."""
    return [
        (
            Sample(id=query, query="q", relevant=grades),
            SystemOutput(
                chunks=tuple(RetrievedChunk(doc_id=doc_id) for doc_id in rankings.get(query, []))
            ),
        )
        for query, grades in judgements.items()
    ]
