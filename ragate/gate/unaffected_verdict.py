"""A change that touches nothing the system reads: the baseline itself is what it would give."""

import datetime
import time
from collections.abc import Sequence

from ragate import plugins
from ragate.answers.new_manifest import labelled
from ragate.answers.run_profile import Selection
from ragate.config import Config
from ragate.core.hashing import content_hash
from ragate.gate.compare_and_decide import compare_and_decide
from ragate.gate.gate_report import stored_report
from ragate.gate.gate_setup import read_gate_setup
from ragate.models import Filters, Report, Run, Sample, SystemInfo, Verdict
from ragate.protocols import IdentifyingModule
from ragate.resources.operations import Operations
from ragate.resources.resources import open_resources
from ragate.stores.local import new_run_id
from ragate.version import __version__


async def decide_unaffected(
    config: Config, operations: Operations, selection: Selection, *, why: str
) -> Report | None:
    """Return the verdict on the baseline as its own candidate; nothing is run and nobody is asked.

    None where that would not be a plain pass: the baseline does not cover every sample as it is
    now, or does not keep every rule itself.

    Args:
        why: How it is known, in one sentence.
    """
    started = time.monotonic()
    setup = read_gate_setup(config, selection.filters)
    if setup.baseline is None or not _covers(setup.baseline, setup.samples):
        return None
    candidate = _as_candidate(setup.baseline, setup.samples, config, operations, selection.filters)
    decided = compare_and_decide(setup, candidate, untouched=True)
    if decided.decision.verdict is not Verdict.PASSED:
        return None
    return stored_report(operations, decided.with_line(why), started=started)


async def describe_system(config: Config, operations: Operations) -> SystemInfo | None:
    """Return what the system would tell of itself, without starting it; None where it cannot."""
    if not plugins.is_builtin("systems", config.system.use):
        return None
    module = plugins.load("systems", config.system.use)
    if not isinstance(module, IdentifyingModule):
        return None
    async with open_resources(config, operations) as opened:
        return await module.identify(config.system.settings, opened.system)


def _covers(baseline: Run, samples: Sequence[Sample]) -> bool:
    held = {record.sample_id: record.content_hash for record in baseline.records}
    return all(held.get(sample.id) == content_hash(sample) for sample in samples)


def _as_candidate(
    baseline: Run,
    samples: Sequence[Sample],
    config: Config,
    operations: Operations,
    filters: Filters,
) -> Run:
    chosen = {sample.id for sample in samples}
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    manifest = baseline.manifest.amended(
        run_id=new_run_id(),
        gate=config.gate,
        created=created,
        commit=operations.commit,
        ragate_version=__version__,
        filters=filters,
    )
    manifest = labelled(manifest, operations, config.root)
    records = [record for record in baseline.records if record.sample_id in chosen]
    return baseline.amended(manifest=manifest, records=records)
