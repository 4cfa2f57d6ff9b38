"""Expected documents beside what came back: whether both are written in one way."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ragate.cli.finding import Finding, ok, problem, skipped, warning
from ragate.config import Config
from ragate.core.doc_ids.mismatch import find_mismatch
from ragate.models import Run, Sample, SystemOutput
from ragate.pipeline.doc_ids.id_advice import IdAdvice, advice_on, id_advice
from ragate.pipeline.doc_ids.respell import newest_run
from ragate.stores.local import LocalStore

CHECK = "document ids"


def of_recordings(
    config: Config, samples: Sequence[Sample], outputs: Mapping[str, SystemOutput]
) -> Iterable[Finding]:
    """Compare with recorded outputs, by sample id."""
    rows = [
        (sample.expected, [chunk.doc_id for chunk in outputs[sample.id].chunks])
        for sample in samples
        if sample.id in outputs
    ]
    mismatch = find_mismatch(rows)
    yield from _said(None if mismatch is None else advice_on(config, mismatch), gated=False)


def of_run(
    config: Config, samples: Sequence[Sample], baseline: Run | None, state: Path
) -> Iterable[Finding]:
    """Compare with what the newest run retrieved, the baseline's included: nothing is asked."""
    if not any(sample.expected for sample in samples):
        return
    run = newest_run(baseline, LocalStore(state))
    if run is None:
        yield skipped(CHECK, "nothing was retrieved yet: `baseline update` compares them")
        return
    gated = bool(config.policy.gated)
    yield from _said(id_advice(config, samples, run), gated=gated)


def _said(advice: IdAdvice | None, *, gated: bool) -> Iterable[Finding]:
    if advice is None:
        yield ok(CHECK, "golden set and system write them in the same way")
    elif advice.mismatch.never and gated:
        yield problem(CHECK, advice.message, advice.remedy)
    else:
        yield warning(CHECK, advice.message, advice.remedy)
