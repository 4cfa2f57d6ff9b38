"""The drill: break stored outputs on purpose and see which breaks the gate catches."""

from collections.abc import Sequence
from pathlib import Path

from ragate.answers.collected_outputs import line_mapping, read_collected
from ragate.config import Config
from ragate.contrib.drill.breaks import Drill, drill
from ragate.core.comparison.run_passes import earlier_passes
from ragate.errors import NoBaselineError, UsageError
from ragate.files.atomic_files import write_atomic
from ragate.gate.compare_and_decide import compare_and_decide
from ragate.gate.gate_report import DRILL_FILE
from ragate.gate.gate_setup import GateSetup, load_baseline_or_none, load_samples
from ragate.models import Decision, DrillProof, Filters, Needs, Run, Sample, SystemOutput
from ragate.resources.operations import Operations
from ragate.scoring.metric_records import evaluate
from ragate.scoring.policy_metrics import make_metrics
from ragate.stores import OUTPUTS
from ragate.stores.local import LocalStore, open_store


def run_drill(config: Config, operations: Operations, paths: Sequence[Path], *, seed: int) -> Drill:
    """Plant every break in stored outputs (default: the newest run's); runs nothing of the RAG.

    Judged metrics are left out: a drill costs no call.

    Raises:
        NoBaselineError: there is nothing to be worse than.
        UsageError: there are no stored outputs.
    """
    baseline = _baseline_of(config)
    setup = GateSetup(config, load_samples(config, Filters()), baseline)
    samples = setup.samples
    store = open_store(operations)  # what it fetches goes with it
    files = paths or [newest_outputs(store, config.gate)]
    collected = read_collected(files, samples, mapping=line_mapping(config))

    active = make_metrics(config, samples, states=baseline.manifest.states)
    metrics = [metric for metric in active if metric.info.needs is Needs.NOTHING]
    left_out = tuple(m.info.name for m in active if m.info.needs is not Needs.NOTHING)
    card = config.policy.scorecard
    made = card.made_of(left_out) if card is not None else ()
    intact = collected.passes[earlier_passes(collected.manifest)]  # the newest run's own first one
    manifest = collected.manifest.amended(
        left_out=(*left_out, *made), confirm=0, earlier=()
    )  # one look

    def decide_on(pairs: Sequence[tuple[Sample, SystemOutput]]) -> Decision:
        broken = [{sample.id: output for sample, output in pairs}]
        run = evaluate(broken, samples, metrics, manifest=manifest)
        return compare_and_decide(setup, run).decision

    unmeasured = collected.passes[0]  # holds every sample, those that were not asked as well
    pairs = [(sample, intact.get(sample.id, unmeasured[sample.id])) for sample in samples]
    breaks = drill(pairs, decide_on, metrics={m.info.name: m.info for m in metrics}, seed=seed)
    _keep_proof(operations, breaks, day=f"{setup.today}")
    return breaks


def _baseline_of(config: Config) -> Run:
    baseline = load_baseline_or_none(config)
    if baseline is None:
        raise NoBaselineError(
            f"{config.policy.baseline}: a drill needs a baseline to be worse than",
            remedy="record one with `ragate baseline update`",
        )
    return baseline


def _keep_proof(operations: Operations, breaks: Drill, *, day: str) -> None:
    proof = DrillProof(date=day, caught=breaks.caught, planted=len(breaks.rows))
    write_atomic(operations.state / DRILL_FILE, proof.model_dump_json().encode())


def newest_outputs(store: LocalStore, gate: str) -> Path:
    """Return the outputs of the newest run that has some: here, or else in the run store.

    Raises:
        UsageError: there are none.
        DatabaseError: there are none here, and the run store cannot be read.
    """
    folders = [*map(store.folder, reversed(store.list())), store.runs.parent]
    here = next((path / OUTPUTS for path in folders if (path / OUTPUTS).is_file()), None)
    if here is not None:
        return here
    elsewhere = store.newest_elsewhere(gate, texts=True)
    if elsewhere is not None and (elsewhere / OUTPUTS).is_file():
        return elsewhere / OUTPUTS
    raise UsageError(
        "there are no stored outputs to break", remedy="run `ragate check` or `ragate collect`"
    )
