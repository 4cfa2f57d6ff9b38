"""Comparing what is stored already: runs and baselines, without running anything."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragate.answers.golden_set import golden_set
from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.core.comparison.run_passes import deciding_run
from ragate.core.lookup import samples_by_id
from ragate.errors import BaselineError, ConfigError, DatasetError, UsageError
from ragate.files.foreign_files import read_text
from ragate.gate.compare_and_decide import compare_and_decide
from ragate.gate.gate_report import gate_report
from ragate.gate.gate_setup import (
    GateSetup,
    load_baseline_or_none,
    read_gate_setup,
    refuse_expired_waivers,
)
from ragate.models import Acceptance, Report, Run, RunManifest, Sample, SystemInfo, Verdict
from ragate.models.run import MEASUREMENT
from ragate.resources.operations import Operations
from ragate.resources.run_labels import read_meta
from ragate.scores.score_file import MAX_WHOLE
from ragate.scores.score_table import ScoreTable, read_table
from ragate.scoring.policy_metrics import reported_metric
from ragate.stores.listed_run import ANY_RUN, VERDICTS, RunFilter, fitting
from ragate.stores.local import open_store


def load_any(operations: Operations, name: str, dates: RunFilter = ANY_RUN) -> Run:
    """Return a run by id, folder, ``latest`` or a note, or the baseline of a file.

    Args:
        name: ``KEY=VALUE`` is the newest judged run that was noted so.
        dates: Which of these runs count.

    Raises:
        UsageError: no such run.
        BaselineError: the file is no baseline.
    """
    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        try:
            return load_baseline(path)
        except BaselineError as error:
            if not _is_report(path):
                raise
            raise UsageError(
                f"{path}: a report, which holds no hashes of what was asked",
                remedy=f"`ragate gate` compares two reports: ragate gate {name} OTHER.json",
            ) from error
    store = open_store(operations)
    if "=" not in name or path.exists():
        return store.load(store.find(name))
    wanted = replace(dates, meta=read_meta([name]), statuses=VERDICTS)
    newest = next(fitting(store.listed(), wanted), None)
    if newest is None:
        raise UsageError(
            f"no judged run is noted as {name}", remedy="`ragate runs list` shows them"
        )
    return store.load(newest.folder)


def _is_report(path: Path) -> bool:
    text = read_text(path, error=UsageError, max_bytes=MAX_WHOLE)
    return '"ragate_version"' in text and '"questions"' in text


def compare_stored(
    config: Config, operations: Operations, a: str, b: str, *, dates: RunFilter = ANY_RUN
) -> Report:
    """Compare stored run `b` with stored run `a` by the policy's rules.

    Args:
        dates: Of runs that are named by what was noted with them.
    """
    if config.policy.of_scores:
        return _compare_scores(config, operations, a, b)
    before, candidate = (load_any(operations, name, dates) for name in (a, b))
    baseline = deciding_run(before)
    setup = GateSetup(config, samples_of_run(config, candidate), baseline)
    return gate_report(compare_and_decide(setup, candidate))


def _compare_scores(config: Config, operations: Operations, a: str, b: str) -> Report:
    """Compare two sides of scores: runs, baselines, or files that an evaluator wrote."""
    from ragate.run.hooks import with_remarks
    from ragate.run.scores_remarks import remarks_on_scores

    (baseline, _), (candidate, told) = (_scores(config, operations, name) for name in (a, b))
    samples = told or samples_of_run(config, candidate)
    decided = compare_and_decide(GateSetup(config, samples, deciding_run(baseline)), candidate)
    return gate_report(with_remarks(decided, remarks_on_scores(decided)))


def _scores(
    config: Config, operations: Operations, name: str
) -> tuple[Run, Sequence[Sample] | None]:
    """Return a side, and of a file of scores the samples that it tells of."""
    path = Path(name)
    try:
        return load_any(operations, name), None
    except (UsageError, BaselineError):
        if not path.exists():
            raise
    from ragate.scores.table_run import TableSamples

    table = read_table(path, str(config.system.settings.get("reader", "")))
    samples = None if config.policy.dataset else TableSamples(table, told=table.has_inputs)
    return _run_of_scores(config, table), samples


def _run_of_scores(config: Config, table: ScoreTable) -> Run:
    from ragate.scores.table_run import TableSamples, contents_of, run_of

    judge = " ".join(filter(None, (table.judge, table.facts.version)))
    infos = {}
    for rule in config.policy.metrics:
        if rule.level != "off" and rule.metric in table.columns:
            metric = reported_metric(config, rule.metric)
            metric.saw(judge)
            infos[rule.metric] = metric.info
    system = SystemInfo(use=config.system.use, parts={MEASUREMENT: table.measurement})
    manifest = RunManifest(gate=config.gate, system=system)
    return run_of(table, manifest, infos, contents_of(TableSamples(table, told=table.has_inputs)))


def decide_again(
    config: Config,
    run: Run,
    *,
    accepted: Sequence[Acceptance] = (),
) -> Report:
    """Decide on a run that is scored already, by the policy of `config`; nothing is measured.

    Args:
        accepted: Drops that were accepted for the outputs of this very run.
    """
    setup = _setup_of(config, run, accepted)
    report = gate_report(compare_and_decide(setup, run))
    return _without_what_was_left_out(config, run, report)


def _setup_of(config: Config, run: Run, accepted: Sequence[Acceptance]) -> GateSetup:
    """Return what a verdict on a stored run needs.

    Where the samples are those of files of scores, the run has them, and who decides again may have
    no file. Tags and fields of slices are in the files alone, or in a golden set.
    """
    policy = config.policy
    if policy.dataset or policy.slices or not policy.of_scores:
        return read_gate_setup(config, run.manifest.filters, accepted=accepted)
    setup = GateSetup(config, _samples_by_id_alone(run), load_baseline_or_none(config), accepted)
    refuse_expired_waivers(config, setup.today)
    return setup


def _samples_by_id_alone(run: Run) -> list[Sample]:
    ids = dict.fromkeys(record.sample_id for record in run.records)
    return [Sample(id=key, query=key) for key in ids]


def _without_what_was_left_out(config: Config, run: Run, report: Report) -> Report:
    """Return no decision in place of a pass where a judge was never asked.

    What failed first spared the judge; where that failure is taken back, its metrics are missing.
    """
    missing = sorted(config.policy.needed & set(run.manifest.left_out))
    spared = config.policy.without_key != "judge-free"  # else the policy does without them
    if report.decision.verdict is not Verdict.PASSED or not missing or not spared:
        return report
    reason = f"not judged, since others failed first: {', '.join(missing)}"
    remedy = "run the workflow again (/ragate rerun): a second attempt asks the judge"
    return report.amended(decision=report.decision.held_back([reason], [remedy]))


def samples_of_run(config: Config, run: Run) -> Sequence[Sample]:
    """Return the samples of `run`; one that left the golden set stands in by its id."""
    try:
        golden = samples_by_id(golden_set(config))
    except (DatasetError, ConfigError):
        golden = {}
    ids = dict.fromkeys(record.sample_id for record in run.records)
    return [
        golden.get(key) or Sample(id=key, query=f"({key}: not in the golden set)") for key in ids
    ]
