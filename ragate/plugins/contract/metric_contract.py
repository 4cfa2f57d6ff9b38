"""What a metric has to keep to."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.models import (
    ASKED,
    MetricInfo,
    Needs,
    RetrievedChunk,
    Sample,
    Score,
    ScoreState,
    SystemOutput,
    Usage,
    failed_output,
)
from ragate.protocols import NO_CLIENTS, EmbeddingMetric, MetricClients, MetricRequest, Pair
from ragate.scoring.asked_metrics import RunVectors


@dataclass(frozen=True)
class Demand:
    """One thing that a plugin has to do.

    Attributes:
        text: What, in words.
        broken: How it does not, "" where it does.
    """

    text: str
    broken: str = ""


def told(error: BaseException, path: Path) -> str:
    """Return an error with the line of the plugin's file that it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == path]
    place = f" ({path.name}:{lines[-1]})" if lines else ""
    return f"raises {type(error).__name__}: {' '.join(str(error).split())[:200]}{place}"


# Samples and outputs of every kind that a plugin meets.

ANSWERABLE = Sample(
    id="answerable",
    query="How long can I get a refund?",
    relevant={"refunds.md": 1},
    references=("Refunds are possible for 30 days.",),
)
SAMPLES = {
    "a question": ANSWERABLE,
    "a question without labels": Sample(id="bare", query="?"),
    "an unanswerable question": Sample(id="unanswerable", query="Who won?", answerable=False),
}
_CHUNKS = (
    RetrievedChunk(doc_id="refunds.md", text="Refunds: 30 days after the purchase.", score=0.9),
    RetrievedChunk(doc_id="other.md", text="", score=None),
)
GOOD = SystemOutput(
    chunks=_CHUNKS,
    answer="Within 30 days. [1]",
    citations=(1,),
    usage=Usage(calls=1, prompt_tokens=10, completion_tokens=5, cost_usd=0.001),
    latency_s=0.5,
    first_token_s=0.1,
)
OUTPUTS = {
    "an answer": GOOD,
    "an answer in another script": GOOD.amended(answer="返品は30日以内です。👍 \u202e"),
    "a long answer": GOOD.amended(answer="Within 30 days. " * 2_000),
    "an answer without contexts": GOOD.amended(chunks=(), citations=None),
    "contexts without texts": GOOD.amended(chunks=(RetrievedChunk(doc_id="refunds.md"),)),
    "an output that reports nothing but an answer": SystemOutput(answer="Yes."),
    "an empty answer": GOOD.amended(answer=""),
    "retrieval only": SystemOutput(chunks=_CHUNKS),
}
FAILED = failed_output("system", "it broke").amended(latency_s=0.2)
UNREACHED = failed_output("provider", "503")
EVERY = {**OUTPUTS, "a failure of the system": FAILED, "a failure of a provider": UNREACHED}


PAIRS: list[tuple[str, Pair]] = [
    (f"{output_name} to {sample_name}", (sample, output))
    for sample_name, sample in SAMPLES.items()
    for output_name, output in EVERY.items()
]
Scorer = Callable[[Sequence[Pair]], Any]


def metric_demands(module: Any, path: Path, settings: Mapping[str, Any]) -> Iterator[Demand]:
    """Yield each demand on a metric; the first that is broken beyond use is the last."""
    try:
        metric = _made(module, path, settings)
        again = _made(module, path, settings)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
        yield Demand("it is made", told(error, path))
        return
    info: MetricInfo = metric.info
    yield Demand("it is made")
    yield from _of_info(info, again.info, path)
    if info.needs is Needs.JUDGE or (info.needs in ASKED and not _has_texts(metric)):
        return  # what a model says of it is no contract
    if info.aggregate:
        yield _aggregate(metric, path)
        return
    score = _by_vectors(metric) if _has_texts(metric) else metric.score_samples
    yield from _of_scores(score, info, path)


def _made(module: Any, path: Path, settings: Mapping[str, Any]) -> Any:
    clients = MetricClients(NO_CLIENTS.chat, lambda _table: _hashing())
    samples = list(SAMPLES.values())
    request = MetricRequest(path.stem, None, settings, samples, None, clients)
    return plugins.made_metric(module, request)


def _hashing() -> Any:
    return plugins.embedder("hashing", {}, lambda _provider: None)


def _has_texts(metric: Any) -> bool:
    return isinstance(metric, EmbeddingMetric)


def _by_vectors(metric: EmbeddingMetric) -> Scorer:
    def score(pairs: Sequence[Pair]) -> list[Score]:
        texts = [text for pair in pairs for text in metric.texts(*pair)]
        vectors = asyncio.run(RunVectors(_hashing()).of(texts))
        return [metric.score(*pair, vectors) for pair in pairs]

    return score


def _of_info(info: MetricInfo, again: MetricInfo, path: Path) -> Iterator[Demand]:
    wrong = "" if info.name == path.stem else f"asked for {path.stem!r}, it calls itself"
    yield Demand("its name is the one that it is asked for", wrong and f"{wrong} {info.name!r}")
    said = "" if info.fingerprint else "info.fingerprint is empty: two versions look the same"
    if info != again:
        said = "made twice with the same keys it has another info: baselines would not compare"
    yield Demand("its identity is the same each time", said)


def _of_scores(score: Scorer, info: MetricInfo, path: Path) -> Iterator[Demand]:
    singles: list[Score] = []
    broken = ""
    for what, pair in PAIRS:
        found, broken = _one(score, pair, info, path)
        if broken or found is None:
            broken = f"on {what} it {broken}"
            break
        singles.append(found)
    yield Demand("it gives a score in its range for every output", broken)
    if broken:
        return
    together = list(score([pair for _, pair in PAIRS]))
    alone = "" if together == singles else "a score changes with the pairs that come along"
    yield Demand("a score depends on its own pair alone", alone)
    by_name = {what: one for (what, _), one in zip(PAIRS, singles, strict=True)}
    if not info.is_expense:  # what a failed sample took is left out, so that it looks not cheap
        yield Demand("what applies is decided by the sample", _by_sample(by_name))
    (failed, unreached) = score([(ANSWERABLE, FAILED), (ANSWERABLE, UNREACHED)])
    yield Demand("a failure of the system is the worst value", _not_worst(failed, info))
    excused = unreached.state is not ScoreState.VALUE
    yield Demand(
        "a failure of a provider is unscored",
        "" if excused else f"it has the value {unreached.value}",
    )


def _one(score: Scorer, pair: Pair, info: MetricInfo, path: Path) -> tuple[Score | None, str]:
    try:
        given = score([pair])
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
        return None, told(error, path)
    if not isinstance(given, list | tuple) or len(given) != 1:
        return None, f"gives {_shown(given)}, not a list with one score"
    one = given[0]
    if not isinstance(one, Score):
        return None, f"gives {_shown(one)}, not a Score"
    high = float("inf") if info.high is None else info.high
    if one.value is not None and not info.low - 1e-9 <= one.value <= high + 1e-9:
        return None, f"gives {one.value}, outside of {info.low:g} to {high:g}"
    if one.state is not ScoreState.VALUE and not one.reason:
        return None, "gives no value and no reason"
    return one, ""


def _shown(value: object) -> str:
    return f"a {type(value).__name__} ({str(value)[:60]})"


def _by_sample(scores: Mapping[str, Score]) -> str:
    for name in SAMPLES:
        states = {
            what: score.state is ScoreState.NOT_APPLICABLE
            for what, score in scores.items()
            if what.endswith(f" to {name}")
        }
        if len(set(states.values())) > 1:
            odd = next(what for what, left_out in states.items() if left_out)
            return f"{odd} is not applicable, another output of the same sample is"
    return ""


def _not_worst(score: Score, info: MetricInfo) -> str:
    if score.state is ScoreState.NOT_APPLICABLE:
        return ""
    if info.worst is None:
        return "" if score.state is not ScoreState.VALUE else "a range without end has no worst"
    same = score.value is not None and abs(score.value - info.worst) <= 1e-9
    got = score.value if score.value is not None else score.state.value
    return "" if same else f"it has {got}, and the worst is {info.worst:g}"


def _aggregate(metric: Any, path: Path) -> Demand:
    text = "it gives a score in its range for a whole pass"
    pairs = [pair for _, pair in PAIRS]
    for given in (pairs, [(ANSWERABLE, GOOD)]):

        def of_a_pass(_pairs: Sequence[Pair], whole: Sequence[Pair] = given) -> list[Any]:
            return [metric.aggregate(whole)]

        _, broken = _one(of_a_pass, given[0], metric.info, path)
        if broken:
            return Demand(text, f"it {broken}")
    return Demand(text)
