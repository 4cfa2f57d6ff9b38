"""Public data in which a question was answered, or an answer judged, several times.

    git clone https://github.com/breckbaldwin/llm-stability FOLDER/llm-stability
    git clone https://github.com/DSincerity/FED_Replication FOLDER/FED_Replication
    git clone https://github.com/sierra-research/tau-bench FOLDER/tau-bench

``llm-stability`` (c089c02): seven question sets that GPT-3.5 or GPT-4o answered five to ten times
at temperature 0, right or wrong. ``FED`` (f0a9a67): 375 answers and 124 conversations of chatbots,
each judged by five people. ``tau-bench`` (59a200c): an agent's four trials of 50 tasks.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.gate_answers import marked
from benchmarks.gate_model import Floats, Source

TASKS = (
    "navigate",
    "logical_deduction",
    "ruin_names",
    "professional_accounting",
    "high_school_european_history",
    "public_relations",
    "college_mathematics",
)
ARCHIVES = ("fine_tuned/data.tgz", "strict_json_schema/runs.tgz")
# The longest recordings of two systems are versions of one; else there is a single version.
LEAST_REPEATS = 6
_RUN = re.compile(r"runs/(?P<recording>[^/]+-0\.0-(?P<task>\w+)-few[-_][^/]+)/(?!\._)[^/]+\.csv")
_CHOICE = re.compile(r"\(([A-Z])\)|\"Answer\": ?\"([A-Z])\"|\b(Yes|No)\b")
# "Error recovery" does not apply to a conversation without errors.
_NOT_OF_ALL = "Error recovery"
_FIRST = ("Overall", "Relevant", "Correct", "Fluent", "Coherent", "Understanding", "Informative")


@dataclass(frozen=True)
class Repeats(Source):
    """Scores that were repeated, from 0 (worst) to 1; passes are disjoint repeats.

    Attributes:
        versions: Of each system that answered (questions, repeats, metrics), in the same order.
        by_question: Whether the repeats are in no order, as those of judges who differ from
            question to question; else a pass is one recording of all questions.
        breaking: The metrics that break.
    """

    versions: tuple[Floats, ...]
    by_question: bool = False
    breaking: tuple[int, ...] = (0,)

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many questions, repeats and metrics every version has."""
        questions, _, metrics = self.versions[0].shape
        return questions, min(each.shape[1] for each in self.versions), metrics

    def first(self, metrics: int) -> Repeats:
        """Return the same answers with the first so many metrics."""
        return replace(self, versions=tuple(each[..., :metrics] for each in self.versions))

    @property
    def loss(self) -> float:
        """How far the first metric falls where every question breaks."""
        return float(np.mean([each[..., 0].mean() for each in self.versions]))

    def play(
        self, rng: Generator, n: int, runs: tuple[int, int], rewritten: float, broken: float
    ) -> tuple[Floats, Floats]:
        """Draw the questions and the passes of one version.

        Where answers are reworded each question has a version of its own, and the reworded ones
        another one afterwards: as many gain by it as lose.
        """
        rows, many = rng.permutation(self.shape[0])[:n], len(self.versions)
        passes = np.stack([self._passes(rng, each[rows], sum(runs)) for each in self.versions])
        before = rng.integers(many, size=n) if rewritten else np.full(n, rng.integers(many))
        after = np.where(marked(rng, n, rewritten), (before + 1) % many, before)

        each = np.arange(n)
        candidate = passes[after, each][:, runs[0] :]
        candidate[np.ix_(marked(rng, n, broken), range(runs[1]), self.breaking)] = 0.0
        scores = np.concatenate([passes[before, each][:, : runs[0]], candidate], axis=1)
        return scores, candidate[..., 0].mean(axis=1)

    def _passes(self, rng: Generator, scores: Floats, many: int) -> Floats:
        """Return so many disjoint repeats, drawn at random."""
        questions, repeats, _ = scores.shape
        if not self.by_question:
            return scores[:, rng.permutation(repeats)[:many]]
        order = rng.permuted(np.tile(np.arange(repeats), (questions, 1)), axis=1)[:, :many]
        return np.take_along_axis(scores, order[..., None], axis=1)


def public_sets(folder: Path) -> Iterator[tuple[str, Repeats]]:
    """Yield each set by its name.

    Raises:
        OSError: a clone is missing; the docstring above says how to get it.
    """
    recorded = _recordings(folder / "llm-stability" / "experiments")
    for task in TASKS:
        yield task, Repeats(_versions(recorded[task]))
    rows = json.loads((folder / "FED_Replication" / "fed_data.json").read_text(encoding="utf-8"))
    for name, is_answer in (("FED answers", True), ("FED conversations", False)):
        yield name, _judged([row for row in rows if ("response" in row) is is_answer])
    trials = folder / "tau-bench" / "historical_trajectories" / "gpt-4o-airline.json"
    yield "tau-bench airline", _trials(json.loads(trials.read_text(encoding="utf-8")))


def _recordings(folder: Path) -> dict[str, list[list[Floats]]]:
    """Return by task the recordings of each system, each with its passes (questions,)."""
    found: dict[str, dict[str, list[Floats]]] = {task: {} for task in TASKS}
    for path in ARCHIVES:
        with tarfile.open(folder / path) as archive:
            for member in archive:
                run, file = _RUN.search(member.name), archive.extractfile(member)
                if run and file and run["task"] in found:
                    rows = csv.DictReader(io.TextIOWrapper(file, encoding="utf-8"))
                    right = {int(row["rubric_id"]): _is_right(row) for row in rows}
                    scores = np.array([right[key] for key in sorted(right)], dtype=np.float64)
                    found[run["task"]].setdefault(run["recording"], []).append(scores)
    return {task: [*systems.values()] for task, systems in found.items()}


def _is_right(row: Mapping[str, str]) -> bool:
    """Return whether the last choice that an answer names is the right one."""
    named = ["".join(choice) for choice in _CHOICE.findall(row["response"])]
    return bool(named) and named[-1] == row["gt"].strip("()")


def _versions(recordings: Sequence[Sequence[Floats]]) -> tuple[Floats, ...]:
    longest = sorted(recordings, key=len, reverse=True)[:2]
    if len(longest) == 2 and len(longest[1]) < LEAST_REPEATS:
        longest = longest[:1]
    return tuple(np.stack(passes, axis=1)[..., None] for passes in longest)


def _judged(rows: Sequence[Mapping[str, Any]]) -> Repeats:
    """Return five judges' scores of each; what one of them left out leaves."""
    names = [name for name in rows[0]["annotations"] if name != _NOT_OF_ALL]
    names.sort(key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    every = [[row["annotations"][name] for name in names] for row in rows]
    told = [row for row in every if all(isinstance(x, int) for judges in row for x in judges)]
    scores = np.array(told, dtype=np.float64).transpose(0, 2, 1)
    return Repeats((scores / scores.max(axis=(0, 1)),), by_question=True)


def _trials(rows: Sequence[Mapping[str, Any]]) -> Repeats:
    tasks, trials = (sorted({row[key] for row in rows}) for key in ("task_id", "trial"))
    scores = np.zeros((len(tasks), len(trials), 1))
    for row in rows:
        scores[tasks.index(row["task_id"]), trials.index(row["trial"]), 0] = row["reward"]
    return Repeats((scores,))
