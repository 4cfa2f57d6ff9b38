"""Real answers as a RAG that varies from run to run: every score it can give, looked up later.

``azure``: 198 questions with answers of two versions of one application and their contexts; in a
run one sentence of an answer may be missing; a break puts other words for its capitalised ones.
``openqa``: 301 questions with answers of four systems; in a run the answer may be another system's;
a break leaves none. Both lie beside the checkout and are read only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.random import Generator

from benchmarks.gate_model import Floats, Simulated, Source
from ragate import plugins
from ragate.core.text.sentences import split_sentences
from ragate.models import RetrievedChunk, Sample, SystemOutput
from ragate.protocols import Metric

_CAPITALISED = re.compile(r"\b[A-Z][a-z]+\b(?![^\[\]]*\])")  # outside of [citations]
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
AZURE = ("idf_f1", "lexical_support", "rouge_l")
OPENQA = ("idf_f1", "token_f1", "exact_match")
KINDS = {
    "yes or no": ("yes",) * 6,
    "continuous": ("continuous",) * 6,
    "mixed": ("yes", "continuous", "grade", "yes", "thirds", "yes"),
}


@dataclass(frozen=True)
class Answers(Source):
    """Scores (questions, versions, unbroken or broken, variants, metrics); variant 0 is the usual.

    Attributes:
        noise: Chance that a run has another variant.
    """

    scores: Floats
    noise: float

    @property
    def expected(self) -> Floats:
        """(questions, versions, unbroken or broken) the first metric's mean over runs."""
        usual, others = self.scores[:, :, :, 0, 0], self.scores[:, :, :, 1:, 0].mean(axis=3)
        return np.asarray((1 - self.noise) * usual + self.noise * others, dtype=np.float64)

    @property
    def loss(self) -> float:
        """How far the first metric falls, on average, where every question breaks."""
        mean = self.expected.mean(axis=(0, 1))
        return float(mean[0] - mean[1])

    def first(self, metrics: int) -> Answers:
        """Return the same answers with the first so many metrics."""
        return replace(self, scores=self.scores[..., :metrics])

    def play(
        self, rng: Generator, n: int, runs: tuple[int, int], rewritten: float, broken: float
    ) -> tuple[Floats, Floats]:
        """Draw the version of reworded questions among the others; the shares are exact."""
        questions, versions, _, variants, _ = self.scores.shape
        chosen = rng.permutation(questions)[:n]
        before = rng.integers(versions, size=n)
        other = (before + rng.integers(1, versions, size=n)) % versions
        after = np.where(marked(rng, n, rewritten), other, before)
        hit = marked(rng, n, broken)
        every = []
        for run in range(sum(runs)):
            candidate = run >= runs[0]
            variant = rng.integers(1, variants, size=n) * (rng.random(n) < self.noise)
            version, state = (after, hit.astype(int)) if candidate else (before, 0)
            every.append(self.scores[chosen, version, state, variant])
        return np.stack(every, axis=1), self.expected[chosen, after, 0]


def marked(rng: Generator, n: int, share: float) -> Any:
    """Mark exactly that share of n, rounded, at random."""
    marked = np.zeros(n, dtype=bool)
    marked[rng.permutation(n)[: round(share * n)]] = True
    return marked


def azure() -> Answers:
    """Return the answers of the application's two versions."""
    rows = _read("azure_rag_ab/answers.jsonl")
    versions: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        versions.setdefault(row["model"], {}).setdefault(row["id"], row)
    ids = sorted(set.intersection(*(set(each) for each in versions.values())))
    samples = [_sample(versions["baseline"][key]) for key in ids]
    texts = [
        [[_shortened(state(each[key]["answer"])) for state in (str, _other_names)] for key in ids]
        for each in versions.values()
    ]
    contexts = [[each[key]["contexts"] for key in ids] for each in versions.values()]
    return Answers(_table(samples, texts, contexts, AZURE), noise=0.25)


def _other_names(answer: str) -> str:
    return _CAPITALISED.sub(lambda name: f"Elb{name.group()[::-1].lower()}", answer)


def _shortened(answer: str) -> list[str]:
    """Return the answer, and four times the answer without one of its sentences."""
    sentences = split_sentences(answer)
    places = [number * len(sentences) // 4 for number in range(4)]
    return [answer, *(" ".join(sentences[:at] + sentences[at + 1 :]) or answer for at in places)]


def openqa() -> Answers:
    """Return the answers of four question answering systems."""
    rows = _read("openqa_eval/answers_nq301.jsonl")
    systems: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        systems.setdefault(row["model"], {})[row["id"]] = row
    ids = sorted(set.intersection(*(set(each) for each in systems.values())))
    every = list(systems.values())
    samples = [_sample(every[0][key]) for key in ids]
    texts = []
    for usual in every:
        order = [usual, *(each for each in every if each is not usual)]
        answers = [[each[key]["answer"] for each in order] for key in ids]
        texts.append([[each, ["I don't know."] * len(order)] for each in answers])
    contexts: list[list[list[str]]] = [[[] for _ in ids] for _ in every]
    return Answers(_table(samples, texts, contexts, OPENQA), noise=0.1)


@cache
def source(name: str, metrics: int) -> Answers | Simulated:
    """Return one of the systems that changes are drawn from, with so many metrics."""
    if name in KINDS:
        return Simulated(KINDS[name][:metrics])
    return _READERS[name]().first(metrics)


_READERS = {"openqa": cache(openqa), "azure": cache(azure)}


def _read(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / path).read_text(encoding="utf-8").splitlines()]


def _sample(row: dict[str, Any]) -> Sample:
    references = tuple(row.get("references") or (row["reference"],))
    return Sample(id=row["id"], query=row["question"], references=references)


def _table(
    samples: Sequence[Sample],
    texts: Sequence[Sequence[Sequence[Sequence[str]]]],
    contexts: Sequence[Sequence[Sequence[str]]],
    metrics: Sequence[str],
) -> Floats:
    """Score `texts` (versions, questions, states, variants)."""
    shape = (len(samples), len(texts), len(texts[0][0]), len(texts[0][0][0]))
    scores = np.empty((*shape, len(metrics)))
    pairs = []
    for question, version, state, variant in np.ndindex(shape):
        chunks = tuple(
            RetrievedChunk(doc_id=str(number), text=text)
            for number, text in enumerate(contexts[version][question])
        )
        answer = texts[version][question][state][variant]
        pairs.append((samples[question], SystemOutput(answer=answer, chunks=chunks)))
    for place, name in enumerate(metrics):
        metric = cast("Metric", plugins.metric(name, samples=samples))
        values = [score.value for score in metric.score_samples(pairs)]
        scores[..., place] = np.array([0.0 if v is None else v for v in values]).reshape(shape)
    return scores
