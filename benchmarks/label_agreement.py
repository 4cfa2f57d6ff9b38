"""How the metrics of grounding agree with people's labels of support, on public sets.

    python -m benchmarks.label_agreement FOLDER [--metrics word_precision lexical_support]

FOLDER holds the sets as their repositories have them: AttributionBench's `data/*.jsonl` (which
takes claims from ExpertQA, GenSearch, AttributedQA, LFQA, HAGRID, BEGIN and AttrScore), BEGIN's
`begin_*.tsv`, FaithBench's `FaithBench.csv` and QAGS' `mturk_*.jsonl`. A file that is not there is
left out. Printed is the area under the curve: how often a supported text scores above an
unsupported one, ties by half.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragate import plugins
from ragate.models import Direction, RetrievedChunk, Sample, SystemOutput
from ragate.protocols import Metric

METRICS = (
    "word_precision", "lexical_support", "entity_support", "number_unit_support",
    "unsupported_numbers", "polarity",
)  # fmt: skip


class Labelled(NamedTuple):
    """A text beside its sources, and whether people call it supported."""

    name: str
    question: str
    text: str
    sources: Sequence[str]
    supported: bool


def labelled(folder: Path) -> Iterator[Labelled]:
    """Yield what the sets of a folder hold."""
    for path in sorted(folder.rglob("*subset_balanced*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            name = f"{path.stem.partition('_all')[0]} {row['src_dataset']}"
            supported = row["attribution_label"] == "attributable"
            yield Labelled(name, row["question"] or "", row["claim"], row["references"], supported)
    yield from _others(folder)


def _others(folder: Path) -> Iterator[Labelled]:
    for path in sorted(folder.rglob("begin_*.tsv")):
        lines = path.read_text("utf-8").splitlines()
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            supported = row["begin_label"] == "Fully attributable"
            yield Labelled(
                path.stem, row["message"] or "", row["response"], [row["knowledge"]], supported
            )
    for path in sorted(folder.rglob("FaithBench.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["worst-label"] in {"Consistent", "Unwanted"}:
                    supported = row["worst-label"] == "Consistent"
                    yield Labelled("FaithBench", "", row["summary"], [row["source"]], supported)
    for path in sorted(folder.rglob("mturk_*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            for each in row["summary_sentences"]:
                yes = fmean(vote["response"] == "yes" for vote in each["responses"])
                yield Labelled(path.stem, "", each["sentence"], [row["article"]], yes > 0.5)


def area(supported: Sequence[float], others: Sequence[float]) -> float:
    """Return how often a supported text scores above another one, ties by half."""
    ordered = sorted(others)
    below = sum(bisect_left(ordered, one) + bisect_right(ordered, one) for one in supported)
    return below / 2 / max(1, len(supported) * len(others))


def scores(name: str, rows: Sequence[Labelled]) -> list[float]:
    metric = cast("Metric", plugins.metric(name))
    pairs = [
        (
            Sample(id=f"q{number}", query=row.question.strip() or "What is it?"),
            SystemOutput(
                answer=row.text,
                chunks=tuple(
                    RetrievedChunk(doc_id=f"d{place}", text=text)
                    for place, text in enumerate(row.sources)
                    if text and text.strip()
                ),
            ),
        )
        for number, row in enumerate(rows)
    ]
    sign = 1 if metric.info.direction is Direction.HIGHER else -1
    return [sign * (score.value or 0.0) for score in metric.score_samples(pairs)]


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("folder", type=Path)
    reader.add_argument("--metrics", nargs="+", default=METRICS)
    options = reader.parse_args()
    sets: dict[str, list[Labelled]] = defaultdict(list)
    for row in labelled(options.folder):
        if (row.text or "").strip():
            sets[row.name].append(row)
    print(f"{'set':<28}{'texts':>7}" + "".join(f"{name:>21}" for name in options.metrics))
    means: dict[str, list[float]] = defaultdict(list)
    for title, rows in sets.items():
        for name in options.metrics:
            found = list(zip(scores(name, rows), rows, strict=True))
            right = [score for score, row in found if row.supported]
            wrong = [score for score, row in found if not row.supported]
            means[name].append(area(right, wrong))
        cells = "".join(f"{means[name][-1]:21.3f}" for name in options.metrics)
        print(f"{title:<28}{len(rows):>7}{cells}", flush=True)
    print(f"{'mean':<35}" + "".join(f"{fmean(means[n]):21.3f}" for n in options.metrics))


if __name__ == "__main__":
    main()
