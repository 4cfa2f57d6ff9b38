"""The baseline file: fresh runs written whole, unless they lost what nobody accepted."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ragate.answers.collected_outputs import read_collected
from ragate.answers.golden_set import golden_set
from ragate.answers.relative_dates import date_of
from ragate.baseline import contexts_path, load_baseline, open_baseline
from ragate.baseline.recording.refuse_losses import (
    decided_against,
    losses,
    refuse,
    refuse_faults,
)
from ragate.baseline.recording.refuse_recording import refuse_left_out, refuse_unmeasured
from ragate.baseline.schema import RUN_REPLIES, requests_path
from ragate.baseline.write import (
    baseline_lines,
    dump_baseline,
    is_written,
    recorded_before,
    recorded_now,
    save_baseline,
)
from ragate.config import Config
from ragate.core.comparison.run_passes import deciding_run, newest_run
from ragate.core.lookup import LazyItems
from ragate.errors import BaselineError, RagateError, StorageError
from ragate.files.foreign_files import is_there, read_bytes
from ragate.gate.id_advice import IdAdvice, id_advice
from ragate.models import Acceptance, Decision, Moved, Record, Run, Sample, SystemInfo


class BaselineOutcome(StrEnum):
    """What became of the baseline file."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class BaselineUpdate:
    """What became of the file, which run of which samples was recorded, and what was before."""

    outcome: BaselineOutcome
    run: Run
    samples: Sequence[Sample]
    old: Run | None


def write_baseline(
    config: Config,
    samples: Sequence[Sample],
    run: Run,
    old: Run | None,
    *,
    accepted: Sequence[Acceptance],
    advice: IdAdvice | None,
    whole: Callable[[Record], Record],
) -> BaselineUpdate:
    """Write the run as the baseline; the file keeps its bytes where the run says the same.

    Args:
        old: The baseline that is there, None where there is none that can be read.
        accepted: What may be lost, or wrong with the run; the file names it.
        advice: On ids that do not fit.
        whole: Gives a record its retrieved texts back, which ``store = "full"`` keeps.

    Raises:
        RagateError: something was lost, or is wrong with the run, and nobody accepted it.
    """
    path, store = config.baseline, config.policy.store
    is_new = not is_there(path, error=BaselineError)
    taken = refuse_faults(config, samples, run, old, given=accepted, advice=advice)
    if old is not None and not taken.is_news and _is_same(config, old, run):
        if store == "full" and not contexts_path(path).is_file():
            _save(config, _as_recorded(run, old), whole, before=old)
        return BaselineUpdate(BaselineOutcome.UNCHANGED, run, samples, old)
    moved = None
    if old is not None:
        decision = decided_against(config, samples, run, old)
        refuse(losses(decision), accepted, advice=advice)
        moved = moved_since(old, decision)
    run = run.amended(manifest=run.manifest.amended(accepted=taken.written, moved=moved))
    _save(config, run, whole)
    outcome = BaselineOutcome.CREATED if is_new else BaselineOutcome.REPLACED
    return BaselineUpdate(outcome, run, samples, old)


def _is_same(config: Config, old: Run, run: Run) -> bool:
    lines = baseline_lines(
        _as_recorded(run, old), store=config.policy.store, recorded=recorded_before(old)
    )
    return is_written(config.baseline, lines)


def _as_recorded(run: Run, old: Run) -> Run:
    """Return the run with what the file tells of its past."""
    past = old.manifest
    return run.amended(manifest=run.manifest.amended(accepted=past.accepted, moved=past.moved))


def _save(
    config: Config, run: Run, whole: Callable[[Record], Record], *, before: Run | None = None
) -> None:
    path, store = config.baseline, config.policy.store
    if store == "full":
        # With texts they are large: each is made when it is written.
        run = run.amended(records=LazyItems(run.records, whole))
    recorded = recorded_now(run, date=date_of("")) if before is None else recorded_before(before)
    save_baseline(path, baseline_lines(run, store=store, recorded=recorded), run, store)


def moved_since(old: Run, decision: Decision) -> Moved | None:
    """Add the changes of the gated metrics to the sum that the baseline before holds."""
    past = old.manifest.moved or Moved(commit=old.manifest.commit, date=old.manifest.created)
    changes = dict(past.changes)
    for row in decision.metrics:
        if row.gates and row.change is not None:
            changes[row.key] = round(changes.get(row.key, 0.0) + row.change, 6)
    changes = {name: change for name, change in sorted(changes.items()) if change}
    return past.amended(changes=changes) if changes or old.manifest.moved is not None else None


def readable_baseline(config: Config) -> Run | None:
    """Return the old baseline; one that cannot be read is replaced, which is what was asked for."""
    file = open_baseline(config.baseline)
    if file is None:
        return None
    file.close()
    try:
        return load_baseline(config.baseline)
    except BaselineError:
        return None


# A baseline made of runs that are stored already, for whoever asks for it by name.


def baseline_files(
    config: Config, run: Run, outputs: Path, *, accepted: Sequence[Acceptance] = ()
) -> dict[str, bytes]:
    """Return the files of the baseline that `run` makes, by path relative to the project.

    All passes that decided are taken: choosing the best of several would set a goal that the next
    unchanged run misses.

    Args:
        outputs: The run's full outputs, needed with ``store = "full"``.
        accepted: Drops that were accepted on the way to this baseline.

    Raises:
        RagateError: the run is partial, too little of it was measured, or something is wrong with
            it that was not accepted.
    """
    run = deciding_run(run)
    manifest = run.manifest
    if manifest.filters.partial or manifest.retrieval_only:
        raise RagateError("only a part of the golden set was run: that makes no baseline")
    refuse_left_out(manifest.left_out)
    refuse_unmeasured(config, run)
    samples, old = golden_set(config), readable_baseline(config)
    # What it lost is red where it stands, and stays so: only what is wrong by itself is refused.
    advice = id_advice(config.root, config.system, samples, run)
    taken = refuse_faults(config, samples, run, old, given=accepted, advice=advice)
    since = None if old is None else moved_since(old, decided_against(config, samples, run, old))
    run = run.amended(manifest=manifest.amended(accepted=taken.written, moved=since))
    recorded = recorded_now(run, date=date_of(""))
    data = dump_baseline(run, store=config.policy.store, recorded=recorded)
    root = config.rules_root
    files = {config.baseline.relative_to(root).as_posix(): data}
    if config.policy.store == "full":
        beside = contexts_path(config.baseline)
        files[beside.relative_to(root).as_posix()] = _contexts(config, run, data, outputs)
    replies = outputs.with_name(RUN_REPLIES)
    if config.policy.store != "hashes" and replies.is_file():
        path = requests_path(config.baseline)
        files[path.relative_to(root).as_posix()] = read_bytes(replies, error=StorageError)
    return files


def _contexts(config: Config, run: Run, data: bytes, outputs: Path) -> bytes:
    """Return the contexts file: the stored run has document ids only, its outputs the texts."""
    if not outputs.is_file():
        raise RagateError('store = "full" needs the outputs of the run, which are not stored')
    passes = read_collected([outputs], golden_set(config)).passes
    records = LazyItems(
        run.records,
        lambda record: record.amended(output=passes[record.run][record.sample_id]),
    )
    with tempfile.TemporaryDirectory(prefix="ragate-") as folder:
        path = Path(folder) / "baseline.json"
        save_baseline(path, [data], run.amended(records=records), "full")
        return read_bytes(contexts_path(path), error=StorageError)


def _identity(system: SystemInfo) -> SystemInfo:
    """Return the system without its settings, which an older baseline does not hold."""
    return system.amended(settings={})


def with_run(baseline: Run, fresh: Run) -> Run:
    """Return the baseline with the first pass of `fresh` as one run more.

    A baseline of more runs knows its own noise better.

    Raises:
        RagateError: `fresh` is not a run of the very system, questions and metrics that the
            baseline holds.
    """
    recorded, measured = baseline.manifest, fresh.manifest
    infos = {key: info for key, info in measured.metrics.items() if key in recorded.metrics}
    if (_identity(recorded.system), recorded.judge, recorded.metrics) != (
        _identity(measured.system), measured.judge, infos,
    ):  # fmt: skip
        raise RagateError("the run is not of the system, judge and metrics that the baseline holds")
    fresh = newest_run(fresh)
    first_run = fresh.records[0].run if fresh.records else 0
    first_pass = [record for record in fresh.records if record.run == first_run]
    hashes = {record.sample_id: record.content_hash for record in baseline.records}
    if {record.sample_id: record.content_hash for record in first_pass} != hashes:
        raise RagateError("the golden set is not the one that the baseline holds")
    number = 1 + max(record.run for record in baseline.records)
    new_pass = [record.amended(run=number) for record in first_pass]
    manifest = recorded.amended(
        runs=recorded.runs + 1,
        identical=recorded.identical + _repeats_one(baseline.records, new_pass),
    )
    return Run(
        manifest=manifest,
        records=(*baseline.records, *new_pass),
        aggregates=(*baseline.aggregates, *fresh.aggregates[:1]),
    )


def _repeats_one(records: Sequence[Record], new_pass: Sequence[Record]) -> bool:
    """Whether a pass equals an earlier one byte for byte, on every sample."""
    passes: dict[int, dict[str, str]] = {}
    for record in records:
        passes.setdefault(record.run, {})[record.sample_id] = record.output_hash
    return {record.sample_id: record.output_hash for record in new_pass} in passes.values()
