"""Print how far the metrics are from their oracles, how they agree with people, and their speed.

Run it from the repository: ``python benchmarks/metric_agreement.py``. It reads the public data sets
beside the checkout and needs ir_measures. With ``people`` it prints that agreement alone.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import ir_measures

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ragate.models import RetrievedChunk, Sample, Score, SystemOutput  # noqa: E402
from ragate.protocols import Pair  # noqa: E402
from tests.unit.metrics.metric_factories import AGGREGATES, ON_SAMPLES, make  # noqa: E402
from tests.unit.metrics.test_oracles import ORACLE, TREC_EVAL, oracle_scores  # noqa: E402
from tests.unit.metrics.trec import (  # noqa: E402
    pairs_of,
    read_beir_qrels,
    read_run,
    read_trec_qrels,
)

DATA = ROOT.parent / "shared" / "data"


def values(name: str, pairs: list[Pair], **given: Any) -> list[float | None]:
    return [score.value for score in make(name, **given).score_samples(pairs)]


def ir_measures_table() -> None:
    print(f"Largest difference from ir_measures {ir_measures.__version__} on Cranfield's runs\n")
    print(f"{'metric':14} {'qrels':34} {'queries':>7} {'largest difference':>18}")
    folder = DATA / "cranfield"
    worst: dict[tuple[str, str], float] = defaultdict(float)
    queries: dict[tuple[str, str], int] = defaultdict(int)
    for qrels, run in itertools.product(
        ("test.tsv", "test_graded_without_minus1.tsv"), sorted((folder / "runs").iterdir())
    ):
        judgements = read_beir_qrels(folder / "qrels" / qrels)
        rankings = read_run(run)
        oracle = oracle_scores(judgements, rankings, ORACLE.values())
        pairs = pairs_of(judgements, rankings)
        for name, theirs in ORACLE.items():
            for (sample, _), value in zip(pairs, values(name, pairs), strict=True):
                if value is not None:
                    apart = abs(value - oracle[theirs][sample.id])
                    worst[name, qrels] = max(worst[name, qrels], apart)
                    queries[name, qrels] += 1
    for key, apart in worst.items():
        print(f"{key[0]:14} {key[1]:34} {queries[key]:7} {apart:18.1e}")


def trec_eval_table() -> None:
    print("\ntrec_eval's published test output, to four digits\n")
    folder = DATA / "trec_eval_test"
    lines = (folder / "out.test.a").read_text().splitlines()
    published = {name: value for name, _, value in map(str.split, lines)}
    pairs = pairs_of(read_trec_qrels(folder / "qrels.test"), read_run(folder / "results.test"))
    for name, theirs in TREC_EVAL.items():
        ours = f"{fmean(v for v in values(name, pairs) if v is not None):.4f}"
        same = "equal" if ours == published[theirs] else "DIFFERENT"
        print(f"{name:16} {theirs:14} {ours} {published[theirs]} {same}")


def read_lines(path: Path) -> Iterator[Any]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def people_table() -> None:
    print("\nAgreement with people: answers of four systems to the same 301 questions\n")
    rows = [
        row
        for row in read_lines(DATA / "openqa_eval" / "answers_nq301.jsonl")
        if row["labels"]["human_correct"] is not None
    ]
    samples = {
        row["id"]: Sample(id=row["id"], query=row["question"], references=row["references"])
        for row in rows
    }
    pairs = [(samples[row["id"]], SystemOutput(answer=row["answer"])) for row in rows]
    right = [row["labels"]["human_correct"] for row in rows]
    print(
        f"{'metric':18} {'pairs won':>9} {'tied':>5} {'lost':>5} {'balanced accuracy at 0.5':>25}"
    )
    scored = {}
    for name in AGREEING:
        scores = [value or 0.0 for value in values(name, pairs, samples=list(samples.values()))]
        scored[name] = scores
        won, tied, lost = preferences([row["id"] for row in rows], right, scores)
        accuracy = balanced_accuracy(right, [score >= 0.5 for score in scores])
        print(f"{name:18} {won:9.3f} {tied:5.3f} {lost:5.3f} {accuracy:25.3f}")
    systems_table(rows, right, scored)


LONG = 6
AGREEING = (
    "exact_match", "contains", "token_f1", "rouge_l", "char_3gram_recall", "idf_f1",
    "reference_recall",
)  # fmt: skip


def systems_table(rows: list[Any], right: list[bool], scored: dict[str, list[float]]) -> None:
    """Print kappa and balanced accuracy at 0.5 for each system, and for long answers of all."""
    print("\nThe same by system, at 0.5: kappa / balanced accuracy\n")
    lengths = [len(row["answer"].split()) for row in rows]
    places = {
        system: [place for place, row in enumerate(rows) if row["model"] == system]
        for system in dict.fromkeys(row["model"] for row in rows)
    }
    long = f"{LONG} words and more"
    places[long] = [place for place, length in enumerate(lengths) if length >= LONG]
    print(f"{'':18} " + " ".join(f"{title[:18]:>18}" for title in places))
    print(f"{'answers':18} " + " ".join(f"{len(chosen):18}" for chosen in places.values()))
    means = (fmean(lengths[place] for place in chosen) for chosen in places.values())
    print(f"{'words an answer':18} " + " ".join(f"{mean:18.1f}" for mean in means))
    for name, scores in scored.items():
        cells = []
        for chosen in places.values():
            called = [scores[place] >= 0.5 for place in chosen]
            truth = [right[place] for place in chosen]
            cells.append(f"{kappa(truth, called):.2f} / {balanced_accuracy(truth, called):.2f}")
        print(f"{name:18} " + " ".join(f"{cell:>18}" for cell in cells))


def kappa(right: list[bool], called: list[bool]) -> float:
    """Return Cohen's kappa."""
    agreed = fmean(verdict == call for verdict, call in zip(right, called, strict=True))
    by_chance = fmean(right) * fmean(called) + (1 - fmean(right)) * (1 - fmean(called))
    return (agreed - by_chance) / (1 - by_chance)


def preferences(
    ids: list[str], right: list[bool], scores: list[float]
) -> tuple[float, float, float]:
    """Return how often the answer that people call right scores higher, equal, lower."""
    by_question: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for sample_id, verdict, score in zip(ids, right, scores, strict=True):
        by_question[sample_id].append((verdict, score))
    margins = [
        good - bad
        for answers in by_question.values()
        for (is_good, good), (is_bad, bad) in itertools.permutations(answers, 2)
        if is_good and not is_bad
    ]
    won, lost = sum(m > 0 for m in margins), sum(m < 0 for m in margins)
    count = len(margins)
    return won / count, (count - won - lost) / count, lost / count


def balanced_accuracy(right: list[bool], called: list[bool]) -> float:
    positive = [call for verdict, call in zip(right, called, strict=True) if verdict]
    negative = [not call for verdict, call in zip(right, called, strict=True) if not verdict]
    return (fmean(positive) + fmean(negative)) / 2


def grounding_table() -> None:
    print("\nlexical_support of real answers, by threshold\n")
    rows = list(read_lines(DATA / "azure_rag_ab" / "answers.jsonl"))[:200]
    print(f"{'threshold':>9} {'own contexts':>13} {'of another question':>20}")
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.9):
        means = [
            fmean(
                value
                for value in values("lexical_support", pairs, settings={"threshold": threshold})
                if value is not None
            )
            for pairs in (_with_contexts(rows, 0), _with_contexts(rows, 37))
        ]
        print(f"{threshold:9} {means[0]:13.3f} {means[1]:20.3f}")


def _with_contexts(rows: list[Any], shift: int) -> list[Pair]:
    """Return each answer with the contexts of the question `shift` places on."""
    return [
        _pair(1, {**row, "contexts": rows[(place + shift) % len(rows)]["contexts"]})
        for place, row in enumerate(rows)
    ]


def speed_table(count: int = 2_000) -> None:
    rows = list(read_lines(DATA / "azure_rag_ab" / "answers.jsonl"))
    pairs = [_pair(place, rows[place % len(rows)]) for place in range(count)]
    samples = [sample for sample, _ in pairs]
    length = fmean(sum(map(len, row["contexts"])) for row in rows)
    print(f"\nCPU time on real answers with {length:,.0f} characters of contexts\n")
    total = 0.0
    for name in (*ON_SAMPLES, *AGGREGATES):
        metric = make(name, samples=samples)
        started = time.process_time()
        _run(metric, pairs)
        spent = time.process_time() - started
        total += spent
        print(f"{name:20} {spent / count * 1e6:7.1f} microseconds a sample")
    print(f"{'all metrics':20} {total / count * 10_000:7.1f} seconds for 10,000 samples")


def _run(metric: Any, pairs: list[Pair]) -> list[Score] | Score:
    if metric.info.aggregate:
        aggregated: Score = metric.aggregate(pairs)
        return aggregated
    scored: list[Score] = metric.score_samples(pairs)
    return scored


def _pair(place: int, row: Any) -> Pair:
    chunks = [
        RetrievedChunk(doc_id=f"d{rank}", text=text) for rank, text in enumerate(row["contexts"])
    ]
    sample = Sample(
        id=f"q{place}",
        query=row["question"],
        references=(row["reference"],),
        relevant={"d1": 1, "d2": 2},
        answerable=place % 10 > 0,
    )
    return sample, SystemOutput(chunks=tuple(chunks), answer=row["answer"], latency_s=1.0)


if __name__ == "__main__":
    if sys.argv[1:] == ["people"]:
        people_table()
        sys.exit()
    ir_measures_table()
    trec_eval_table()
    people_table()
    grounding_table()
    speed_table()
