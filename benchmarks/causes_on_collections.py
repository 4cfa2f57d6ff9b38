"""Measure the diagnosis on real collections: changes are planted, the commands run as a user would.

A project is made of a collection: the built-in system, a baseline, then one change after the other.
Every question that got worse or better counts, by the cause that the report names. Where two
changes are planted together, the truth is counterfactual: a change is in it where the question
moves with that one alone, or does no longer move with the other one alone.

Run: python -m benchmarks.causes_on_collections [--data FOLDER] [--answers quoted|written|noisy]
The collections are not part of this project; see `--data` for where they are looked for.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.planted_changes import (
    PAIRS,
    PROMPT,
    QUOTED,
    WRITTEN,
    WRITTEN_PAIRS,
    Document,
    Plant,
    Row,
    model,
)

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
COLLECTIONS = ("cranfield", "clapnq_dev")
LEAST_RIGHT, MOST_UNKNOWN, MOST_WRONG = 0.80, 0.20, 0.01
METRICS = ("recall@10", "ndcg@10", "mrr@10", "hit_rate@5", "lexical_support", "false_refusal",
           "idf_f1", "number_recall", "citation_coverage")  # fmt: skip
SYSTEM: dict[str, object] = {"chunk_size": 512, "chunk_overlap": 64, "top_k": 10}
NOTHING = Plant(frozenset())
CONTEXTS = frozenset({"retrieval", "data"})
RECORDED = "recorded: "
Scores = dict[str, float | None]


@dataclass
class Project:
    """A gate over one collection, in a folder of its own.

    Attributes:
        url: Of the model, "" where sentences are quoted.
        noisy: The model answers otherwise from time to time.
        recorded: The system under test is the recorded outputs of the built-in one.
    """

    root: Path
    documents: list[Document]
    rows: list[Row]
    url: str = ""
    noisy: bool = False
    recorded: bool = False

    def write(self, plant: Plant) -> None:
        """Write the project with a change in it."""
        corpus = self.root / "corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        write_lines(corpus / "corpus.jsonl", plant.corpus(self.documents))
        write_lines(self.root / "golden.jsonl", plant.golden(self.rows))
        (self.root / "answer.md").write_text(PROMPT.format(how=plant.how))
        (self.root / "ragate.toml").write_text(self._toml(plant))

    def _toml(self, plant: Plant) -> str:
        answer: dict[str, object] = {"use": "extractive"}
        if self.url:
            answer = {"use": "chat", "provider": "stub", "model": "stub-1", "prompt": "answer.md"}
            answer |= {"temperature": 1.0} if self.noisy else {}
        tables: dict[str, Mapping[str, object]] = {
            "policy": {
                "dataset": "golden.jsonl",
                "baseline": "baselines/gate.json",
                "systems": ["pgvector", "replay"],
                "replay_paths": ["outputs.jsonl"],
                "runs": 3 if self.noisy else 1,
                "max_calls": 1_000_000,
            },
            "policy.providers.stub": {"base_url": self.url or "http://127.0.0.1:9", "key_env": ""},
            **{
                f'policy.metrics."{name}"': {"level": "error", "max_drop": 0.9, "pass_at": 1.0}
                if name == "hit_rate@5"
                else {"level": "warn"}
                for name in METRICS
            },
            "system": {"use": "pgvector", "corpus": "corpus", **SYSTEM, **plant.system},
            "system.bm25": dict(plant.bm25),
            "system.answer": {**answer, **plant.answer},
        }
        if self.recorded:
            tables = {key: value for key, value in tables.items() if "system" not in key}
            tables["system"] = {"use": "replay", "paths": ["outputs.jsonl"]}
        return "\n".join(
            f"[{name}]\n" + "".join(f"{key} = {json.dumps(v)}\n" for key, v in table.items())
            for name, table in tables.items()
        )

    def run(self, *arguments: str) -> None:
        """Run a command of ragate, which may find the change bad, but not fail otherwise."""
        environment = {key: value for key, value in os.environ.items() if key != "CI"}
        done = subprocess.run(
            [sys.executable, "-m", "ragate", *arguments],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1) and not (self.root / "report.json").exists():
            raise SystemExit(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")

    def check(self, plant: Plant) -> dict[str, Any]:
        """Return the report on a planted change."""
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        self.write(plant)
        self.run("check", "--format", "json", "--output", "report.json",
                 *([] if self.recorded else ["--save-outputs", "saved.jsonl"]))  # fmt: skip
        found: dict[str, Any] = json.loads(report.read_text())
        return found

    def outputs(self) -> list[Row]:
        """Return the outputs of the last check as a program of its own would record them."""
        lines = (self.root / "saved.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        keys = ("id", "answer", "chunks", "citations")
        return [{key: row[key] for key in keys if key in row} for row in rows if "id" in row]


@dataclass
class Tally:
    """How the causes of one planted change were named."""

    name: str
    causes: frozenset[str]
    said: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, truth: frozenset[str]) -> None:
        self.said["right" if kind in truth else kind] += 1

    @property
    def figures(self) -> tuple[int, int, int]:
        right, unknown = self.said["right"], self.said["unknown"]
        return right, unknown, self.said.total() - right - unknown

    def line(self) -> str:
        total = self.said.total()
        shares = "".join(f" {part / total if total else 0:8.1%}" for part in self.figures)
        wrongly = {key: n for key, n in self.said.items() if key not in ("right", "unknown")}
        return f"{self.name:44} {total:6}{shares}  {wrongly or ''}"


def write_lines(path: Path, rows: list[Row]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def read_lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def collection(data: Path) -> tuple[list[Document], list[Row]]:
    """Return documents and questions; references are there where the collection has them."""
    relevant: dict[str, dict[str, int]] = {}
    for line in (data / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        relevant.setdefault(query, {})[document] = int(grade)
    answers = {}
    if (data / "qa.jsonl").exists():
        answers = {row["id"]: row["references"] for row in read_lines(data / "qa.jsonl")}
    rows = []
    for row in read_lines(data / "queries.jsonl"):
        found: Row = {
            "id": row["_id"],
            "query": row["text"],
            "relevant": relevant.get(row["_id"], {}),
        }
        if answers:
            found["references"] = [text for text in answers.get(row["_id"]) or [] if text]
            found["answerable"] = bool(found["relevant"])
        rows.append(found)
    return read_lines(data / "corpus.jsonl"), rows


def moved(report: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Scores]]]:
    """Yield id, named cause and scores of each question that got worse or better."""
    for row in report["samples"]:
        if row.get("cause") and row["change"] in ("worse", "better", "mixed", "new", "failed"):
            scores = {one["metric"]: one for one in row["scores"]}
            yield row["sample_id"], row["cause"]["kind"], scores


def measured(project: Project, plants: Mapping[str, Plant], pairs: Any) -> Iterator[Tally]:
    """Yield a tally for each planted change, alone and in pairs, and for the recorded outputs."""
    project.write(NOTHING)
    project.run("baseline", "update")
    base, recorded = _outputs(project, NOTHING)[1], {}
    reports = {}
    for name, plant in plants.items():
        reports[name], recorded[name] = _outputs(project, plant)
        yield tally(name, reports[name], plant.causes)
    for first, second in pairs:
        report, _ = _outputs(project, plants[first].and_also(plants[second]))
        parts = [
            (plants[one].causes, reports[one], reports[other])
            for one, other in ((first, second), (second, first))
        ]
        yield _pair(f"{first} + {second}", report, parts)
    if not project.noisy:  # one recorded pass does not know its noise: nothing is planted alone
        yield from _recorded(project, plants, base, recorded)


def _outputs(project: Project, plant: Plant) -> tuple[dict[str, Any], list[Row]]:
    return project.check(plant), project.outputs()


def _recorded(
    project: Project, plants: Mapping[str, Plant], base: list[Row], outputs: Mapping[str, list[Row]]
) -> Iterator[Tally]:
    """The same outputs, of a system of which nothing is known.

    Edited pages and another cut are told by all pages' texts: there the true name alone is right.
    That documents came or went cannot be told from a change of retrieval: either name is.
    """
    project.recorded = True
    project.write(NOTHING)
    write_lines(project.root / "outputs.jsonl", base)
    project.run("baseline", "update")
    for name, plant in plants.items():
        write_lines(project.root / "outputs.jsonl", outputs[name])
        told = name == "documents edited" or name.startswith("chunk_size")
        causes = CONTEXTS if plant.causes <= CONTEXTS and not told else plant.causes
        yield tally(f"{RECORDED}{name}", project.check(plant), causes)
    project.recorded = False


def tally(name: str, report: Mapping[str, Any], causes: frozenset[str]) -> Tally:
    found = Tally(name, causes)
    for _, kind, _ in moved(report):
        found.add(kind, causes)
    return found


def _pair(name: str, report: Mapping[str, Any], parts: list[Any]) -> Tally:
    """Tally two changes at once by what each of them does alone."""
    found = Tally(name, frozenset())
    both = {key: (kind, scores) for key, kind, scores in moved(report)}
    alone = [(causes, _after(mine), _after(rest)) for causes, mine, rest in parts]
    for key, (kind, scores) in both.items():
        together = _values(scores)
        truth = [
            causes for causes, mine, rest in alone if key in mine or together != rest.get(key, {})
        ]
        found.add(kind, frozenset().union(*truth))
    return found


def _after(report: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
    return {key: _values(scores) for key, _, scores in moved(report)}


def _values(scores: Mapping[str, Any]) -> dict[str, float | None]:
    return {name: one["after"] for name, one in scores.items() if one["before"] != one["after"]}


def main() -> int:
    """Print a line for each planted change; return 1 where a target of the built-in is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the collections")
    parser.add_argument("--collection", choices=COLLECTIONS, action="append")
    parser.add_argument("--answers", choices=("quoted", "written", "noisy"), action="append")
    options = parser.parse_args()
    missed = 0
    with model() as url:
        for name in options.collection or COLLECTIONS:
            if not (options.data / name / "corpus.jsonl").exists():
                parser.exit(1, f"{options.data / name} holds no corpus.jsonl\n")
            for answers in options.answers or ("quoted", "written", "noisy"):
                missed += _collection(options.data.resolve() / name, answers, url)
    return 1 if missed else 0


def _collection(data: Path, answers: str, url: str) -> int:
    documents, rows = collection(data)
    print(f"{data.name}, {len(rows)} questions, answers {answers}")
    print(f"{'planted':44} {'n':>6} {'right':>8} {'unknown':>8} {'wrong':>8}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)  # as root, the server runs as another account
        project = Project(root, documents, rows)
        if answers != "quoted":
            project.url, project.noisy = url, answers == "noisy"
        plants, pairs = (QUOTED, PAIRS) if answers == "quoted" else (WRITTEN, WRITTEN_PAIRS)
        missed = 0
        for one in measured(project, plants, pairs):
            print(one.line(), flush=True)
            single = bool(one.causes) and not one.name.startswith(RECORDED)
            missed += single and not kept(one)
        subprocess.run([sys.executable, "-m", "ragate", "db", "stop"], cwd=root, check=False,
                       capture_output=True)  # fmt: skip
    print()
    return missed


def kept(one: Tally) -> bool:
    """Return True where the targets are met, or the change moved nothing."""
    right, unknown, wrong = one.figures
    total = right + unknown + wrong
    return not total or (
        right >= LEAST_RIGHT * total
        and unknown <= MOST_UNKNOWN * total
        and wrong <= MOST_WRONG * total
    )


if __name__ == "__main__":
    sys.exit(main())
