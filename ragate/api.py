"""ragate from Python: what the commands do, with typed results. docs/plugins.md shows each.

The names here stay where they are, as those of `ragate.models` do. Errors are `ragate.errors`.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.answers.run_profile import RunRequest, selection_of
from ragate.cli.operations import with_dotenv
from ragate.config import CONFIG_NAME, Config, find_config, load_config
from ragate.errors import UsageError
from ragate.models import Record, Report, Sample, Score, SystemOutput
from ragate.one_output import (
    Models,
    OutputScorecard,
    card_of,
    refuse_running_loop,
    score_by_metrics,
)
from ragate.one_output import assess_answer as assess_answer
from ragate.one_output import evaluate_all as evaluate_all
from ragate.plugins.contract.check_file import check_plugin as check_plugin
from ragate.resources.operations import Operations, read_operations
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan
from ragate.run.sources import SystemSource
from ragate.stores.local import open_store


@dataclass(frozen=True)
class StoredRun:
    """A run of the state folder.

    Attributes:
        report: What its renderers show; `report.decision` holds verdict and exit code.
        records: One row a sample and pass: scores, answers and document ids, without texts of
            passages.
    """

    report: Report
    records: Sequence[Record]


def check(
    config: str | Path | None = None,
    *,
    tags: Sequence[str] = (),
    ids: Sequence[str] = (),
    where: Sequence[str] = (),
    limit: int | None = None,
    top_k: int | None = None,
    retrieval_only: bool = False,
    skip: Sequence[str] = (),
    profile: str = "",
    runs: int = 1,
    environment: Mapping[str, str] | None = None,
    say: Callable[[str], None] | None = None,
    live: bool = False,
) -> Report:
    """Run the gate as ``ragate check`` does, and return its report.

    A report is returned whatever the verdict: `report.decision.verdict` says whether it passed,
    failed, or came to no decision.

    Args:
        config: ragate.toml or its folder; None finds it from the current folder upwards.
        tags, ids, where, limit, top_k, retrieval_only, skip, profile: As the command's options.
        runs: Passes of the first look, at least 1.
        environment: Variables instead of those of this process; ``.env`` is read as by the command.
        say: Gets each line of progress; None drops them.
        live: Ask a `python` or `llamaindex` system in this process, where a debugger, coverage and
            patches reach it, and not in a worker; the report says so.

    Raises:
        RagateError: nothing could be run; the subclass is that of the command's message.
        UsageError: an event loop is running in this thread.
    """
    refuse_running_loop("check")
    if runs < 1:
        raise UsageError(f"runs = {runs}: must be at least 1")
    loaded, operations = _open(config, environment, say)
    request = RunRequest(
        tags=tuple(tags),
        ids=tuple(ids),
        where=tuple(where),
        limit=limit,
        top_k=top_k,
        retrieval_only=retrieval_only,
        skip=tuple(skip),
        profile=profile,
    )
    operations = replace(operations, live=live)
    selection = selection_of(loaded, request, runs=runs)
    return asyncio.run(run_gate(RunPlan(loaded, operations, SystemSource(), selection))).report


def score(
    sample: Sample | Mapping[str, Any],
    output: SystemOutput | Mapping[str, Any],
    metrics: Iterable[str],
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    judge: Mapping[str, Any] | None = None,
    embedder: Mapping[str, Any] | None = None,
    providers: Mapping[str, Mapping[str, Any]] | None = None,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Score]:
    """Return the score of one output by each metric, in the order asked for.

    No model is asked, unless a metric needs the judge or the embedder that is given. A judge is
    tried on known answers first, as in a run.

    Args:
        sample, output: Types of `ragate.models`, or what a line of a golden set and of recorded
            outputs holds.
        metrics: Names as in ``[policy.metrics]``: ``recall@5``, ``token_f1``.
        settings: A metric's own keys, by its name.
        judge, embedder, providers: As the tables ``[policy.judge]``, ``[policy.embedder]`` and
            ``[policy.providers]``.
        environment: Where the keys are; None for the variables of this process.

    Raises:
        DatasetError: sample or output have a field that is wrong or unknown.
        PluginError, ConfigError: a metric is unknown, or a setting is wrong.
        UsageError: a metric needs a whole run, or what was not given.
    """
    models = Models(judge, embedder, providers, environment)
    return score_by_metrics(sample, output, metrics, settings=settings or {}, models=models)


def scorecard(
    sample: Sample | Mapping[str, Any],
    output: SystemOutput | Mapping[str, Any],
    *,
    preset: str = "",
    config: str | Path | None = None,
    judge: Mapping[str, Any] | None = None,
    embedder: Mapping[str, Any] | None = None,
    providers: Mapping[str, Mapping[str, Any]] | None = None,
    environment: Mapping[str, str] | None = None,
) -> OutputScorecard:
    """Return whether one output passes a scorecard, its overall score, and every stage.

    Args:
        sample, output: As of `score`.
        preset: A preset such as ``rag``, or a file of your own; judge, embedder and providers are
            those of the arguments then. "" takes the scorecard of a ragate.toml, with its own.
        config: As of `check`.
        judge, embedder, providers, environment: As of `score`.

    Raises:
        ConfigError: there is no scorecard, or a stage lacks its judge or embedder.
        DatasetError: sample or output have a field that is wrong or unknown.
        UsageError: a model has to be asked, and an event loop is running in this thread.
    """
    if preset:
        models = Models(judge, embedder, providers, environment)
        return card_of(sample, output, policy={"preset": preset}, models=models)
    loaded, operations = _open(config, environment, None)
    models = Models(environment=operations.environment)
    return card_of(sample, output, policy=loaded, models=models)


def load_run(
    run: str = "latest",
    *,
    config: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> StoredRun:
    """Return a stored run with its report.

    Args:
        run: Its id, its folder, or ``latest``: the newest that was judged.
        config, environment: As in `check`; they say where the state folder is.

    Raises:
        UsageError: there is no such run.
        StorageError: the run's files are damaged, or of another version.
    """
    _, operations = _open(config, environment, None)
    store = open_store(operations)
    folder = store.find(run, reported=True)
    return StoredRun(report=store.load_report(folder), records=store.load(folder).records)


def render(report: Report, format: str = "console") -> str:  # noqa: A002 - the command's option
    """Return the report as text, in a format of ``--format``.

    Raises:
        PluginError: there is no such format.
    """
    text: str = plugins.load("renderers", format).render(report)
    return text


def _open(
    config: str | Path | None,
    environment: Mapping[str, str] | None,
    say: Callable[[str], None] | None,
) -> tuple[Config, Operations]:
    variables = dict(os.environ if environment is None else environment)
    named = config or variables.get("RAGATE_CONFIG") or None
    path = Path.cwd() / named if named else None
    if path is not None and path.is_dir():
        path /= CONFIG_NAME
    loaded = load_config(find_config(Path.cwd(), named=path))
    operations = read_operations(loaded.root, with_dotenv(loaded.root, variables))
    return loaded, replace(operations, say=say or (lambda _line: None))
