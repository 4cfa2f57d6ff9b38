"""One output scored from Python: by metrics, by a scorecard, by the checks of an answer.

docs/plugins.md shows each. What a model is asked is what a run of the gate would ask.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from ragate import plugins
from ragate.dataset import entries_of
from ragate.errors import ConfigError, DatasetError, RagateError, UsageError
from ragate.models import (
    MetricInfo,
    Needs,
    RetrievedChunk,
    RunManifest,
    Sample,
    Score,
    ScoreState,
    SystemInfo,
    SystemOutput,
)
from ragate.outputs.recorded_output import RecordedOutput
from ragate.protocols import Metric
from ragate.scoring.metric_records import sample_scores
from ragate.settings import read_settings
from ragate.version import MANUAL

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.resources.operations import Operations

Table = Mapping[str, Any]
SampleLike = Sample | Mapping[str, Any]
OutputLike = SystemOutput | Mapping[str, Any]
_EMBEDDED = {
    "context_relevance": "embedded_context_relevance",
    "context_sufficiency": "embedded_sufficiency",
    "answer_relevance": "embedded_answer_relevance",
    "answer_correctness": "embedded_correctness",
    "answer_hallucination": "embedded_hallucination",
}


@dataclass(frozen=True)
class StageResult:
    """One stage of a scorecard.

    Attributes:
        score: As it counts: at its worst where a required stage before it failed.
        passed: None where it has no pass mark, or was not measured.
    """

    score: Score
    passed: bool | None


@dataclass(frozen=True)
class OutputScorecard:
    """What one output comes to.

    Attributes:
        passed: None where a stage that decides it was not measured; `reason` says which.
        overall_score: From 0 to 1; None where it is open.
        reason: What failed, or what is missing; "" where all passed.
        stages: By name, in their order.
    """

    passed: bool | None
    overall_score: float | None
    reason: str
    stages: Mapping[str, StageResult]


@dataclass(frozen=True)
class Models:
    """What may be asked for a score, as the tables of ragate.toml hold it.

    Attributes:
        judge, embedder, providers: ``[policy.judge]``, ``[policy.embedder]`` and
            ``[policy.providers]``; None where there is none.
        environment: Where the keys are; None for the variables of this process.
    """

    judge: Table | None = None
    embedder: Table | None = None
    providers: Mapping[str, Table] | None = None
    environment: Mapping[str, str] | None = None


def score_by_metrics(
    sample: SampleLike,
    output: OutputLike,
    metrics: Iterable[str],
    *,
    settings: Mapping[str, Table],
    models: Models,
) -> dict[str, Score]:
    """Return the score of one output by each metric; `ragate.score` has the words."""
    asked = read_sample(sample)
    given, names = read_output(output, asked), list(dict.fromkeys(metrics))
    scores, to_ask = {}, []
    for name in names:
        metric = plugins.metric(name, settings=settings.get(name), samples=[asked])
        _refuse_unaskable(metric.info, settings.get(name, {}), models)
        if metric.info.needs is Needs.NOTHING:
            (scores[name],) = sample_scores(cast("Metric", metric), [(asked, given)], ())
        else:
            to_ask.append(name)
    if to_ask:
        tables = {name: {"level": "warn", **settings.get(name, {})} for name in to_ask}
        scores |= _measured(_policy(models, metrics=tables), models, asked, given)[1]
    return {name: scores[name] for name in names}


def _refuse_unaskable(info: MetricInfo, settings: Table, models: Models) -> None:
    lacks = ""
    if info.aggregate:
        lacks, remedy = "all outputs of a run", "ragate.check() measures it"
    elif info.needs is Needs.JUDGE and models.judge is None:
        lacks, remedy = "a judge", 'give judge={"use": "rubric", "provider": …, "model": …}'
    elif info.needs is Needs.EMBEDDINGS and not (models.embedder or settings.get("embedder")):
        lacks, remedy = "an embedder", 'give embedder={"use": "onnx"}'
    if lacks:
        raise UsageError(f"metric {info.name!r} needs {lacks}", remedy=remedy)


def card_of(
    sample: SampleLike, output: OutputLike, *, policy: Config | Table, models: Models
) -> OutputScorecard:
    """Return what an output comes to by a scorecard.

    Args:
        policy: A configuration that has one, or the table ``[policy.scorecard]``.

    Raises:
        ConfigError: the configuration has no scorecard, or a stage lacks its judge or embedder.
    """
    from ragate.core.decision.scorecard import read_stages
    from ragate.core.decision.scorecard import sample_scores as made_scores

    asked = read_sample(sample)
    given = read_output(output, asked)
    config = _policy(models, scorecard=policy) if isinstance(policy, Mapping) else policy
    card = config.policy.scorecard
    if card is None:
        remedy = f'give preset="rag", or write the table: {MANUAL}/scorecards.md'
        raise ConfigError(f"{config.path}: there is no [policy.scorecard]", remedy=remedy)
    infos, scores = _measured(config, models, asked, given)
    stages = read_stages(card, infos, scores)
    overall, passes = made_scores(card, infos, stages)
    return OutputScorecard(
        passed=None if passes.value is None else passes.value == 1.0,
        overall_score=overall.value,
        reason=passes.reason,
        stages={each.stage.name: StageResult(each.score, each.passes) for each in stages},
    )


def evaluate_all(
    question: str,
    answer: str,
    reference: str,
    contexts: Sequence[str],
    model_name: str = "all-MiniLM-L6-v2",
    thresholds: tuple[float, float] = (0.5, 0.4),
    *,
    embedder: Table | None = None,
) -> dict[str, float | None]:
    """Return the five metrics on embeddings of one answer; all its texts are embedded together.

    None stands for what cannot be said: without a reference, relevance and correctness. An empty
    answer has the worst value of what reads answers, and the contexts their own.

    Args:
        model_name: A model of sentence_transformers (``pip install "ragate[local]"``).
        thresholds: Cosine from which on a context is sufficient, and below which a sentence is
            taken for made up.
        embedder: A table as ``[policy.embedder]`` in place of the model: ``{"use": "onnx"}``.

    Raises:
        RagateError: the texts could not be embedded.
        UsageError: an event loop is running in this thread.
    """
    sufficient, supported = thresholds
    scores = score_by_metrics(
        _question(question, reference),
        _answer(answer, contexts),
        _EMBEDDED.values(),
        settings={
            _EMBEDDED["context_sufficiency"]: {"threshold": sufficient},
            _EMBEDDED["answer_hallucination"]: {"threshold": supported},
        },
        models=Models(embedder=embedder or {"use": "sentence_transformers", "model": model_name}),
    )
    for score in scores.values():
        if score.state is ScoreState.UNSCORED:
            raise RagateError(f"{score.metric}: {score.reason}")
    return {name: scores[metric].value for name, metric in _EMBEDDED.items()}


def assess_answer(
    question: str,
    answer: str,
    contexts: Sequence[str],
    retrieval_scores: Sequence[float] = (),
    *,
    minimum_score: float = 0.2,
) -> OutputScorecard:
    """Return the six checks of an answer, which ask no model: the preset ``checks``.

    Args:
        retrieval_scores: Of the contexts, in their order; without them nothing is said of scores.
        minimum_score: What the best of them has to reach, in the retriever's own unit.

    Raises:
        UsageError: there are not as many scores as contexts.
    """
    if retrieval_scores and len(retrieval_scores) != len(contexts):
        raise UsageError(f"{len(retrieval_scores)} retrieval_scores for {len(contexts)} contexts")
    mark = {"min_retrieval_score": {"settings": {"threshold": minimum_score}}}
    table = {"preset": "checks", "without": [] if retrieval_scores else list(mark), "stages": mark}
    output = _answer(answer, contexts, retrieval_scores)
    return card_of(_question(question), output, policy=table, models=Models())


def _question(question: str, reference: str = "") -> Sample:
    return Sample(id="question", query=question, references=(reference,) if reference else ())


def _answer(answer: str, contexts: Sequence[str], scores: Sequence[float] = ()) -> SystemOutput:
    numbered = enumerate(zip_longest(contexts, scores), 1)
    chunks = [
        RetrievedChunk(doc_id=f"context {number}", text=text, score=score)
        for number, (text, score) in numbered
    ]
    return SystemOutput(answer=answer, chunks=tuple(chunks))


# From tables to scores.


def _policy(models: Models, **policy: Any) -> Config:
    """Return the configuration of a gate that has no file: nothing is read of its paths."""
    from ragate.config import config_of

    paths = {"dataset": "golden.jsonl", "baseline": "main.json", "systems": ["replay"]}
    given = {"judge": models.judge, "embedder": models.embedder, "providers": models.providers}
    tables = {name: dict(table) for name, table in given.items() if table is not None}
    system = {"use": "replay", "paths": ["outputs.jsonl"]}
    folder = Path.cwd().resolve()
    written = {"policy": {**paths, **tables, **policy}, "system": system}
    return config_of(written, root=folder, path=folder / "no ragate.toml")


def _measured(
    config: Config, models: Models, sample: Sample, output: SystemOutput
) -> tuple[Mapping[str, MetricInfo], Mapping[str, Score]]:
    """Return every metric of a policy, and its score; a model is asked where one needs it."""
    from ragate.resources.operations import read_operations
    from ragate.scoring.policy_metrics import make_metrics

    made = make_metrics(config, [sample], states={})
    pairs = [(sample, output)]
    if all(metric.info.needs is Needs.NOTHING for metric in made):
        infos = {metric.info.name: metric.info for metric in made}
        scores = [sample_scores(metric, pairs, ())[0] for metric in made]
        return infos, dict(zip(infos, scores, strict=True))
    refuse_running_loop("score")
    environment = dict(os.environ if models.environment is None else models.environment)
    operations = read_operations(config.root, environment)
    if config.path.is_file():
        return asyncio.run(_asked(config, operations, sample, output))
    with TemporaryDirectory(prefix="ragate-") as folder:
        operations = replace(operations, state=Path(folder))
        return asyncio.run(_asked(config, operations, sample, output))


async def _asked(
    config: Config, operations: Operations, sample: Sample, output: SystemOutput
) -> tuple[Mapping[str, MetricInfo], Mapping[str, Score]]:
    from ragate.answers.collected_outputs import Collected
    from ragate.answers.run_profile import Selection
    from ragate.resources.resources import open_resources
    from ragate.scoring.scorer import ScoringPlan, open_scorer

    manifest = RunManifest(system=SystemInfo(use=config.system.use))
    async with open_resources(config, operations) as opened:
        plan = ScoringPlan(config, opened, [sample], None, Selection())
        async with open_scorer(plan) as scorer:
            run = await scorer.score(Collected(manifest, [{sample.id: output}]))
    (record,) = run.records
    return run.manifest.metrics, record.scores


def refuse_running_loop(name: str) -> None:
    """Raise where an event loop is running in this thread.

    Raises:
        UsageError: names the function of ragate, and what to await in its place.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(
        f"{name}() starts an event loop, and one is running in this thread",
        remedy=f"await asyncio.to_thread(ragate.{name})",
    )


def read_sample(fields: SampleLike) -> Sample:
    """Return a sample, also of what a line of a golden set holds."""
    if isinstance(fields, Sample):
        return fields
    (entry,) = entries_of([("sample", fields)], path=Path("sample"))
    return entry.sample


def read_output(fields: OutputLike, sample: Sample) -> SystemOutput:
    """Return an output, also of what a line of recorded outputs holds."""
    if isinstance(fields, SystemOutput):
        return fields
    try:
        return read_settings(RecordedOutput, {"id": sample.id, **fields}, where="output").output()
    except ConfigError as error:
        remedy = f"{MANUAL}/replay.md lists the fields of an output"
        raise DatasetError(error.message, remedy=remedy) from error
