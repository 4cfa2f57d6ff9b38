"""Comparing what is stored already: runs and baselines, without running anything."""

from collections.abc import Sequence
from pathlib import Path

from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.core.comparison.run_passes import deciding_run
from ragate.core.lookup import samples_by_id
from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from ragate.models import Acceptance, Report, Run, Sample, Verdict
from ragate.pipeline.decide.compare_and_decide import compare_and_decide
from ragate.pipeline.decide.gate_report import gate_report
from ragate.pipeline.decide.gate_setup import GateSetup, read_gate_setup
from ragate.runtime.operations import Operations
from ragate.stores.postgres import open_store
from ragate.support.spill import Spill


def load_any(operations: Operations, name: str) -> Run:
    """Return a run by id, folder or ``latest``, or the baseline of a file.

    Raises:
        UsageError: no such run.
        BaselineError: the file is no baseline.
    """
    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        return load_baseline(path)
    store = open_store(operations.state, operations.runs_url)
    return store.load(store.find(name))


def compare_stored(config: Config, operations: Operations, a: str, b: str) -> Report:
    """Compare stored run `b` with stored run `a` by the policy's rules."""
    baseline, candidate = deciding_run(load_any(operations, a)), load_any(operations, b)
    setup = GateSetup(config, samples_of_run(config, candidate), baseline)
    return gate_report(compare_and_decide(setup, candidate))


def decide_again(
    config: Config,
    run: Run,
    *,
    accepted: Sequence[Acceptance] = (),
    control: Run | None = None,
) -> Report:
    """Decide on a run that is scored already, by the policy of `config`; nothing is measured.

    Args:
        accepted: Drops that were accepted for the outputs of this very run.
        control: The base version run today.
    """
    setup = read_gate_setup(config, run.manifest.filters, control=control, accepted=accepted)
    report = gate_report(compare_and_decide(setup, run))
    return _without_what_was_left_out(config, run, report)


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
    decision = report.decision.amended(
        verdict=Verdict.NO_DECISION,
        reasons=(reason, *report.decision.reasons),
        remedies=(remedy, *report.decision.remedies),
    )
    return report.amended(decision=decision)


def samples_of_run(config: Config, run: Run) -> Sequence[Sample]:
    """Return the samples of `run`; one that left the golden set stands in by its id."""
    try:
        golden = samples_by_id(read_dataset(config.dataset))
    except DatasetError:
        golden = {}
    ids = dict.fromkeys(record.sample_id for record in run.records)
    return Spill(
        Sample,
        (golden.get(key) or Sample(id=key, query=f"({key}: not in the golden set)") for key in ids),
    )
