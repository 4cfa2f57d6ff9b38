"""ragate from Python: what the commands do, with typed results. docs/plugins.md shows each.

The names here stay where they are, as those of `ragate.models` do. Errors are `ragate.errors`.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from ragate import plugins
from ragate.cli.operations import with_dotenv
from ragate.config import CONFIG_NAME, Config, find_config, load_config
from ragate.dataset import entries_of
from ragate.errors import ConfigError, DatasetError, UsageError
from ragate.models import Needs, Record, Report, Sample, Score, SystemOutput
from ragate.outputs.recorded_output import RecordedOutput
from ragate.pipeline.contract.check_file import check_plugin as check_plugin
from ragate.pipeline.run.run_profile import RunRequest, selection_of
from ragate.pipeline.score.metric_records import sample_scores
from ragate.protocols import Metric
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan
from ragate.run.sources import SystemSource
from ragate.runtime.operations import Operations, read_operations
from ragate.stores.postgres import open_store
from ragate.support.settings import read_settings
from ragate.version import MANUAL


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
    _refuse_running_loop("check")
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
) -> dict[str, Score]:
    """Return the score of one output by each metric, in the order asked for; no model is asked.

    Args:
        sample, output: Types of `ragate.models`, or what a line of a golden set and of recorded
            outputs holds.
        metrics: Names as in ``[policy.metrics]``: ``recall@5``, ``token_f1``.
        settings: A metric's own keys, by its name.

    Raises:
        DatasetError: sample or output have a field that is wrong or unknown.
        PluginError, ConfigError: a metric is unknown, or a setting is wrong.
        UsageError: a metric needs a judge, or a whole run.
    """
    asked = _sample(sample)
    pair = asked, _output(output, asked)
    scores = {}
    for name in metrics:
        metric = plugins.metric(name, settings=(settings or {}).get(name), samples=[asked])
        if metric.info.needs is not Needs.NOTHING or metric.info.aggregate:
            lack = "all outputs of a run" if metric.info.aggregate else "a judge or a model"
            raise UsageError(
                f"metric {name!r} needs {lack}, and score() has one output and asks no model",
                remedy="ragate.check() measures it",
            )
        (scores[name],) = sample_scores(cast("Metric", metric), [pair], ())
    return scores


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
    store = open_store(operations.state, operations.runs_url)
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


def _refuse_running_loop(name: str) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(
        f"{name}() starts an event loop, and one is running in this thread",
        remedy=f"await asyncio.to_thread(ragate.{name})",
    )


def _sample(fields: Sample | Mapping[str, Any]) -> Sample:
    if isinstance(fields, Sample):
        return fields
    (entry,) = entries_of([("sample", fields)], path=Path("sample"))
    return entry.sample


def _output(fields: SystemOutput | Mapping[str, Any], sample: Sample) -> SystemOutput:
    if isinstance(fields, SystemOutput):
        return fields
    try:
        return read_settings(RecordedOutput, {"id": sample.id, **fields}, where="output").output()
    except ConfigError as error:
        remedy = f"{MANUAL}/replay.md lists the fields of an output"
        raise DatasetError(error.message, remedy=remedy) from error
