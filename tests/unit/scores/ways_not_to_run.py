"""Ways in which an evaluation did not run; beside each its twin, an evaluation that did."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.unit.scores.written_by_tools import METRICS, WRITERS, Evaluation, Sample

Change = Callable[[Evaluation], Evaluation]


def unchanged(evaluation: Evaluation) -> Evaluation:
    return evaluation


def harmless(evaluation: Evaluation) -> Evaluation:
    """Noise of a judge: one sample in eight moves a little, in either direction."""
    chance = random.Random(11)

    def moved(_: int, sample: Sample) -> Sample:
        if chance.random() > 0.125:
            return sample
        return replace(
            sample,
            scores={
                name: round(min(1.0, max(0.5, score + chance.choice([-0.03, 0.03]))), 4)
                if score >= 0.5
                else score
                for name, score in sample.scores.items()
            },
        )

    return evaluation.each(moved)


def broken(evaluation: Evaluation) -> Evaluation:
    """A third of the answers is wrong now."""
    return evaluation.each(
        lambda number, sample: (
            replace(
                sample,
                answer="I do not know.",
                scores={name: round(score * 0.2, 4) for name, score in sample.scores.items()},
            )
            if number % 3 == 0
            else sample
        )
    )


def scored(value: Any, every: int = 1, names: tuple[str, ...] = METRICS) -> Change:
    """One sample of `every` has this instead of its scores."""

    def change(number: int, sample: Sample) -> Sample:
        if number % every:
            return sample
        return replace(sample, scores={**sample.scores, **dict.fromkeys(names, value)})

    return lambda evaluation: evaluation.each(change)


def failed(every: int, message: str = "ConnectionError: the judge is out") -> Change:
    return lambda evaluation: evaluation.each(
        lambda number, sample: sample if number % every else replace(sample, error=message)
    )


def only(start: int, stop: int, step: int = 1) -> Change:
    return lambda evaluation: replace(evaluation, samples=evaluation.samples[start:stop:step])


def others(every: int) -> Change:
    def change(number: int, sample: Sample) -> Sample:
        if number % every:
            return sample
        return replace(
            sample, id=f"x{number + 500}", question=f"What is {number + 500}?", expected=f"{number}"
        )

    return lambda evaluation: evaluation.each(change)


def times(factor: float) -> Change:
    return lambda evaluation: evaluation.each(
        lambda _, sample: replace(
            sample,
            flag=sample.passed,
            scores={name: round(score * factor, 4) for name, score in sample.scores.items()},
        )
    )


def renamed(names: dict[str, str]) -> Change:
    return lambda evaluation: evaluation.each(
        lambda _, sample: replace(
            sample,
            scores={names.get(name, name): score for name, score in sample.scores.items()},
        )
    )


def without(name: str) -> Change:
    return lambda evaluation: evaluation.each(
        lambda _, sample: replace(
            sample, scores={key: score for key, score in sample.scores.items() if key != name}
        )
    )


def flagged(flag: Callable[[int, Sample], bool]) -> Change:
    return lambda evaluation: evaluation.each(
        lambda number, sample: replace(sample, flag=flag(number, sample))
    )


def both(first: Change, second: Change) -> Change:
    return lambda evaluation: second(first(evaluation))


def ended(status: str) -> Change:
    return lambda evaluation: replace(evaluation, status=status)


ALL = frozenset(WRITERS)
ERRORS = ALL - {"lm-eval"}  # which ends where a document fails
NULLS = ALL - {"junit"}  # whose tests record nothing where they fail before
JUDGED = frozenset(tool for tool in ALL if tool.startswith(("deepeval", "mlflow", "inspect")))
LOGS = frozenset({"inspect json", "inspect eval"})
VERSIONED = LOGS | {"promptfoo json"}
FLAGGED = frozenset({"deepeval 3", "deepeval 4", "azure", "promptfoo json", "promptfoo jsonl"})
TEXT = frozenset(
    tool
    for tool in ALL
    if tool.startswith(("ragas", "plain", "mlflow", "azure", "lm-eval"))
    and not tool.endswith(("parquet", "traces"))
)

OTHER_NAMES = renamed({"faithfulness": "groundedness", "answer_relevancy": "coherence"})
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"

# What did not run: whose files can say so, the change, and its twin that did run.
NOT_RUN: dict[str, tuple[frozenset[str], Change, Change]] = {
    "no sample at all": (ALL, only(0, 0), unchanged),
    "half of the samples": (ALL, only(0, 60), only(0, 118)),
    "every second sample": (ALL, only(0, 120, 2), only(1, 120)),
    "a tenth of the samples": (ALL, only(0, 12), only(0, 119)),
    "all but a tenth": (ALL, only(0, 108), unchanged),
    "all errors": (ERRORS, failed(1), failed(60)),
    "half errors": (ERRORS, failed(2), failed(100)),
    "one error in eight": (ERRORS, failed(8), unchanged),
    "all null": (NULLS, scored(None), scored(None, 60)),
    "half null": (NULLS, scored(None, 2), scored(None, 100)),
    "one metric null": (NULLS, scored(None, 1, ("faithfulness",)), unchanged),
    "all NaN": (ALL, scored(float("nan")), scored(float("nan"), 60)),
    "half NaN": (ALL, scored(float("nan"), 2), unchanged),
    "NaN as text": (TEXT, scored("NaN"), unchanged),
    "an error's text instead of scores": (TEXT, scored("RateLimitError"), unchanged),
    "infinite": (ALL, scored(float("inf"), 2), unchanged),
    "minus one for failed": (ALL, scored(-1.0, 2), unchanged),
    "999 for failed": (ALL, scored(999.0, 2), unchanged),
    "other samples": (ALL, others(1), others(60)),
    "half other samples": (ALL, others(2), others(100)),
    "a metric gone": (ALL, without("faithfulness"), unchanged),
    "another metric set": (
        ALL,
        OTHER_NAMES,
        unchanged,
    ),
    "a metric renamed": (ALL, renamed({"faithfulness": "faithfulness_v2"}), unchanged),
    "another judge": (JUDGED, lambda e: replace(e, judge="gpt-9-mini"), unchanged),
    "another version": (VERSIONED, lambda e: replace(e, version="9.9.9"), unchanged),
    "percents": (ALL, times(100), unchanged),
    "a scale of five": (ALL, times(5), unchanged),
    "all failed at perfect scores": (FLAGGED, flagged(lambda n, s: False), unchanged),
    "all passed": (FLAGGED, both(broken, flagged(lambda n, s: True)), unchanged),
    "cut off": (LOGS, ended("cancelled"), unchanged),
    "ended by an error": (LOGS, ended("error"), unchanged),
    "still running": (
        LOGS,
        both(only(0, 90), ended("started")),
        unchanged,
    ),
}

# the file itself: bytes -> bytes
BROKEN_FILES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "a blank": lambda data: b" \n",
    "first half": lambda data: data[: len(data) // 2],
    "last tenth gone": lambda data: data[: len(data) * 9 // 10],
    "a twentieth gone": lambda data: data[: len(data) * 95 // 100],
    "last bytes gone": lambda data: data[:-40],
    "second half": lambda data: data[len(data) // 2 :],
    "null": lambda data: b"null",
    "an empty object": lambda data: b"{}",
    "an empty list": lambda data: b"[]",
    "a page of an error": lambda data: b"<html><body><h1>502 Bad Gateway</h1></body></html>",
    "a log": lambda data: b"Traceback (most recent call last):\n  ConnectionError: out\n",
    "a pointer of LFS": lambda data: (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    ),
    "zeros": lambda data: bytes(len(data)),
    "a hole": lambda data: data[: len(data) // 3] + bytes(2000) + data[len(data) // 3 + 2000 :],
}

IN_BEFORE = ("no sample at all", "all errors", "all null", "half null")
