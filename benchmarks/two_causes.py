"""What a report says first of two kinds of changes at once: is it harm, and the cause of most?

    python -m benchmarks.two_causes [--changes 200] [--seed 1] [--output FILE]

Each planted change is a project of its own with 60 questions and recorded outputs, judged by
`ragate check` over metrics that need no key. Two kinds are planted into random questions, sometimes
more of one, sometimes nearly as many of both; some other answers only get other words. Then the
report is read as a comment shows it:

- each question that is shown first has lost a score of a metric that gates;
- the sentence of what happened names the kind that most of the planted questions have, with its
  count, or says with counts which part has no cause that the outputs show.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.shares import print_lines
from ragate.api import check
from ragate.cli.main import run
from ragate.models import Report, SampleRow, ScoreChange
from ragate.renderers._samples import sections, worst_first
from ragate.renderers._story import likely, story_words

QUESTIONS, SHOWN = 60, 3
REFUSAL = "I don't know."
PAGE = """\
Topic {topic} has a limit. The limit of topic {topic} is {limit} units.
It was set by the board in the year of topic {topic}, after a long talk about what {topic} is for.
Who needs more than {limit} units asks the desk of topic {topic} before the first of the month."""
GATED = ("hit_rate@5", "number_recall", "token_f1", "error_rate")
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["outputs.jsonl"]
store = "full"
{metrics}
[system]
use = "replay"
paths = ["outputs.jsonl"]
"""
Line = dict[str, Any]
Limits = list[int]  # by topic, what its document says
Plant = Callable[[int, Limits], Line]
AS_RECORDED = [100 + 7 * number for number in range(QUESTIONS)]


def chunks(first: int, limits: Limits) -> list[Line]:
    """Return five documents, the one of topic `first` in front."""
    topics = [number % QUESTIONS for number in range(first, first + 5)]
    return [
        {"doc_id": f"topic-{topic}.md", "text": PAGE.format(topic=topic, limit=limits[topic])}
        for topic in topics
    ]


def saying(number: int, limit: int) -> str:
    return f"The limit of topic {number} is {limit} units. [1]"


def right(number: int, limits: Limits) -> Line:
    return {"answer": saying(number, limits[number]), "chunks": chunks(number, limits)}


def lost(number: int, limits: Limits) -> Line:
    """The expected document is gone, and every other answer is a refusal."""
    said = REFUSAL if number % 2 else saying(number, limits[(number + 1) % QUESTIONS])
    return {"answer": said, "chunks": chunks(number + 1, limits)}


def wrong(number: int, limits: Limits) -> Line:
    """The same documents, and a number that none of them holds."""
    return {"answer": saying(number, 1000 + number), "chunks": chunks(number, limits)}


def refused(number: int, limits: Limits) -> Line:
    return {"answer": REFUSAL, "chunks": chunks(number, limits)}


def failed(_number: int, _limits: Limits) -> Line:
    return {"error": {"kind": "system", "message": "no answer in 30 s"}}


def worded(number: int, limits: Limits) -> Line:
    """The same facts in other words."""
    said = f"{limits[number]} units are the limit of topic {number}. [1]"
    return {"answer": said, "chunks": chunks(number, limits)}


# By kind: what does it, and how the sentence of what happened calls it.
EDITED = "document edited"
UNKNOWN = r"([\d,]+) questions? changed for reasons that the outputs do not show"
KINDS: dict[str, tuple[Plant, str]] = {
    "document lost": (lost, r"([\d,]+) questions? lost (?:its|their) document"),
    "wrong answer": (wrong, r"([\d,]+) answers? changed with the same documents"),
    "refusal": (refused, r"([\d,]+) answers? changed with the same documents"),
    EDITED: (right, r"([\d,]+) questions? changed because a document was"),
    "failure": (failed, r"([\d,]+) questions? failed"),
}


@dataclass(frozen=True)
class Change:
    """Which questions get what; `must_pass` are those that have to pass."""

    kinds: dict[int, str]
    reworded: frozenset[int]
    must_pass: frozenset[int]


def drawn(luck: random.Random) -> Change:
    first, second = luck.sample(sorted(KINDS), 2)
    numbers = luck.sample(range(QUESTIONS), QUESTIONS)
    counts = luck.randrange(4, 16), luck.randrange(4, 16)
    kinds = dict.fromkeys(numbers[: counts[0]], first)
    kinds |= dict.fromkeys(numbers[counts[0] : sum(counts)], second)
    rest = numbers[sum(counts) :]
    return Change(kinds, frozenset(rest[:10]), frozenset(luck.sample(range(QUESTIONS), 5)))


def outputs(change: Change) -> Iterator[Line]:
    """Yield the recorded outputs; an edited document says its new limit wherever it is found."""
    limits = [
        2000 + number if change.kinds.get(number) == EDITED else limit
        for number, limit in enumerate(AS_RECORDED)
    ]
    for number in range(QUESTIONS):
        plant: Plant = worded if number in change.reworded else right
        if number in change.kinds:
            plant = KINDS[change.kinds[number]][0]
        yield {"id": f"q{number:02}", **plant(number, limits)}


def reported(folder: Path, change: Change) -> Report:
    """Record right answers as the baseline, and return the report of the change."""
    metrics = "".join(f'[policy.metrics."{name}"]\nlevel = "error"\n' for name in GATED)
    (folder / "ragate.toml").write_text(CONFIG.format(metrics=metrics))
    golden = (
        {
            "id": f"q{number:02}",
            "query": f"What is the limit of topic {number}?",
            "relevant": {f"topic-{number}.md": 1},
            "references": [f"{AS_RECORDED[number]} units"],
            "must_pass": number in change.must_pass,
        }
        for number in range(QUESTIONS)
    )
    _write(folder / "golden.jsonl", golden)
    nothing = Change({}, frozenset(), frozenset())
    _write(folder / "outputs.jsonl", outputs(nothing))
    with contextlib.redirect_stdout(io.StringIO()):
        assert run(["baseline", "update", "--config", str(folder / "ragate.toml")]) == 0
    _write(folder / "outputs.jsonl", outputs(change))
    return check(folder)


def _write(path: Path, rows: Iterator[Line]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def unharmed(report: Report) -> list[SampleRow]:
    """Return the questions shown first that lost no score of a metric that gates."""
    worse = sections(report.samples).get("worse", [])
    return [row for row in worst_first(report, worse)[:SHOWN] if not any(map(_is_loss, row.scores))]


def _is_loss(change: ScoreChange) -> bool:
    if change.metric not in GATED or change.before is None:
        return False
    if change.after is None:
        return True
    rise = change.after - change.before
    return rise > 0 if change.metric == "error_rate" else rise < 0


def told(report: Report) -> str:
    """Return what the report says happened, and what it blames beside that."""
    blamed = likely(report)
    words = [word for word in story_words(report) if isinstance(word, str)]
    return "".join(words) + (f"; LIKELY {blamed.likely_cause}" if blamed is not None else "")


def told_how(said: str, change: Change) -> str:
    """Return ``named``, ``split`` or ``wrong``.

    Named is the kind of most planted questions, with a count. Split are two counts or more, and
    one of them is of no known cause. Else the report blames what most did not have.
    """
    counts = Counter(KINDS[kind][1] for kind in change.kinds.values())
    most = max(counts.values())
    if "LIKELY" in said:
        return "wrong"
    if any(count == most and re.search(phrase, said) for phrase, count in counts.items()):
        return "named"
    return (
        "split" if re.search(UNKNOWN, said) and any(re.search(p, said) for p in counts) else "wrong"
    )


def lines(changes: int, seed: int) -> Iterator[str]:
    """Yield the shares, and each change that is told wrongly."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    yield f"commit {done.stdout[:10]}; measures: ragate/renderers ragate/core/diagnosis"
    yield f"\npython -m benchmarks.two_causes --changes {changes} --seed {seed}\n"
    shown = harmed = 0
    ways: Counter[str] = Counter()
    for number in range(changes):
        change = drawn(random.Random(f"{seed} {number}"))
        with tempfile.TemporaryDirectory() as folder:
            report = reported(Path(folder), change)
        rows, said, missed = min(SHOWN, report.story.worse), told(report), unharmed(report)
        shown, harmed = shown + rows, harmed + rows - len(missed)
        way = told_how(said, change)
        ways[way] += 1
        if missed or way == "wrong":
            ids = [row.sample_id for row in missed]
            yield f"{number} {dict(Counter(change.kinds.values()))}: {said!r}, unharmed {ids}"
    yield f"questions shown first that lost a gated score: {harmed} of {shown}"
    yield f"the kind of most is named with its count:      {ways['named']} of {changes}"
    yield f"split, the larger part said to be unknown:     {ways['split']} of {changes}"
    yield f"another is blamed:                             {ways['wrong']} of {changes}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    print_lines(lines(options.changes, options.seed), options.output)


if __name__ == "__main__":
    main()
