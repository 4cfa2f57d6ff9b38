"""A baseline made of runs that are stored already, for whoever asks for it by name."""

import datetime
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ragate.baseline import contexts_path
from ragate.baseline.requests import requests_path
from ragate.baseline.write import dump_baseline, recorded_now, save_baseline
from ragate.config import Config
from ragate.core.comparison.own_passes import deciding_run, newest_run
from ragate.dataset import read_dataset
from ragate.errors import RagateError, StorageError
from ragate.models import Acceptance, Record, Run, SystemInfo
from ragate.pipeline.baseline.refuse_losses import decided_against, refuse_faults
from ragate.pipeline.baseline.refuse_recording import refuse_left_out, refuse_unmeasured
from ragate.pipeline.baseline.write_baseline import moved_since, readable_baseline
from ragate.pipeline.golden.id_advice import id_advice
from ragate.pipeline.run.collected_outputs import read_collected
from ragate.recorder.baseline_replies import RUN_REPLIES
from ragate.support.foreign_files import read_bytes
from ragate.support.spill import Spill


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
    samples, old = read_dataset(config.dataset), readable_baseline(config)
    # What it lost is red where it stands, and stays so: only what is wrong by itself is refused.
    advice = id_advice(config, samples, run)
    taken = refuse_faults(config, samples, run, old, given=accepted, advice=advice)
    since = None if old is None else moved_since(old, decided_against(config, samples, run, old))
    run = run.amended(manifest=manifest.amended(accepted=taken.written, moved=since))
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    recorded = recorded_now(run, date=today)
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
    passes = read_collected([outputs], read_dataset(config.dataset)).passes
    with_texts = (
        record.amended(output=passes[record.run][record.sample_id]) for record in run.records
    )
    records = Spill(Record, with_texts, kept=0)
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
