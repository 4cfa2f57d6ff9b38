"""Real answers as pools: for each question the answers that a system could have given.

Read from the public data sets beside the checkout: two answer sets of one insurance assistant,
four open-domain systems, and passages with answers that people wrote.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.models import RetrievedChunk, Sample, SystemOutput

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
REFUSAL = "I cannot find this in the documents."
_FILE = re.compile(r"\[([^\[\]]+?\.pdf#page=\d+)\]")
_REFERENCE = re.compile(r"\[([^\[\]]+?)-(\d+)\.pdf\]")


@dataclass(frozen=True)
class Pool:
    """One question with the outputs that one run draws from, each with its chance."""

    sample: Sample
    outputs: tuple[SystemOutput, ...]
    chances: tuple[float, ...]

    def draw(self, rng: random.Random) -> SystemOutput:
        return rng.choices(self.outputs, self.chances)[0]


def insurance() -> list[Pool]:
    """Two answer sets of one assistant, drawn with even chances; its file names become [n]."""
    by_id: dict[str, list[dict[str, Any]]] = {}
    for row in read_rows("azure_rag_ab/answers.jsonl"):
        by_id.setdefault(row["id"], []).append(row)
    return [
        _pool(
            Sample(
                id=key,
                query=rows[0]["question"],
                references=(bare_reference(rows[0]),),
                relevant=_expected(rows[0]["reference"]),
            ),
            [insured(row) for row in rows],
        )
        for key, rows in by_id.items()
    ]


def bare_reference(row: dict[str, Any]) -> str:
    """Return the reference without the files that it cites."""
    return _REFERENCE.sub("", row["reference"]).strip()


def _expected(reference: str) -> dict[str, int]:
    return {f"{name}.pdf#page={page}": 1 for name, page in _REFERENCE.findall(reference)}


def insured(row: dict[str, Any]) -> SystemOutput:
    """Return an answer of the insurance assistant; its file names become [n]."""
    texts = [context.partition(":") for context in row["contexts"]]
    names = [name for name, _, _ in texts]

    def marker(match: re.Match[str]) -> str:
        return f"[{names.index(match[1]) + 1 if match[1] in names else len(names) + 1}]"

    chunks = tuple(RetrievedChunk(doc_id=name, text=text) for name, _, text in texts)
    return SystemOutput(chunks=chunks, answer=_FILE.sub(marker, row["answer"]))


def open_domain() -> list[Pool]:
    """Short answers of four systems without contexts, drawn with even chances."""
    by_id: dict[str, list[dict[str, Any]]] = {}
    for row in read_rows("openqa_eval/answers_nq301.jsonl"):
        by_id.setdefault(row["id"], []).append(row)
    return [
        _pool(
            Sample(id=key, query=rows[0]["question"], references=tuple(rows[0]["references"])),
            [SystemOutput(answer=row["answer"]) for row in rows],
        )
        for key, rows in by_id.items()
    ]


def passages() -> list[Pool]:
    """Answers that people wrote to a passage, with and without citing or quoting it.

    Questions that the passage does not answer are refused in four runs of five.
    """
    pools = []
    for row in read_rows("clapnq_dev/qa.jsonl"):
        chunks = tuple(
            RetrievedChunk(doc_id=doc, text=text)
            for doc, text in zip(row["context_ids"], row["contexts"], strict=True)
        )
        sample = Sample(
            id=row["id"],
            query=row["question"],
            references=tuple(row["references"][:1]),
            relevant=dict.fromkeys(row["context_ids"], 1) if row["references"] else {},
            answerable=row["labels"]["answerable"],
        )
        answers = _written(row) if sample.answerable else [REFUSAL, row["contexts"][0][:200]]
        chances = None if sample.answerable else [0.8, 0.2]
        outputs = [SystemOutput(chunks=chunks, answer=text) for text in answers]
        pools.append(_pool(sample, outputs, chances))
    return pools


def _written(row: dict[str, Any]) -> list[str]:
    chosen = [list(dict.fromkeys(each)) for each in row["labels"]["selected_sentences"] if each]
    texts = [*row["references"][1:], *(" ".join(each) for each in chosen)]
    first = chosen[0][0] if chosen else row["contexts"][0][:200]
    return [*texts, *(f"{text} [1]" for text in texts), f'It says "{first}" [1]']


def _pool(
    sample: Sample, outputs: Sequence[SystemOutput], chances: Sequence[float] | None = None
) -> Pool:
    given = [one for one in outputs if (one.answer or "").strip()]
    even = [1 / len(given)] * len(given)
    return Pool(sample, tuple(given), tuple(chances or even))


def read_rows(path: str) -> list[dict[str, Any]]:
    """Return the rows of a data set."""
    return [json.loads(line) for line in (DATA / path).read_text("utf-8").splitlines()]


SETS: dict[str, Callable[[], list[Pool]]] = {
    "insurance": insurance,
    "open-domain": open_domain,
    "passages": passages,
}
