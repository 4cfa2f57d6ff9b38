"""What a report says of repeating: what did not although it should, and what seems to."""

from collections.abc import Sequence

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.repeating_samples import PROOF
from ragate.core.comparison.run_passes import Passes
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.wording import count
from ragate.core.text.listed_names import listed
from ragate.models import Reads

_NOUN = {Reads.RETRIEVAL: "retrieval", Reads.ANSWER: "answer"}


def repeating_notes(comparison: Comparison) -> list[str]:
    """Return what a reader should know about repeating, one sentence each."""
    repetition = comparison.repetition
    notes = []
    for reads in sorted(repetition.exact, reverse=True):
        notes += _broken(reads, comparison)
        if reads in repetition.policy:
            notes += _unproven(reads, comparison)
    return notes


def _broken(reads: Reads, comparison: Comparison) -> list[str]:
    """Name the samples that vary; an answer holds what was retrieved for it, named already."""
    repetition, noun = comparison.repetition, _NOUN[reads]
    jitters, baseline = repetition.by_part[reads].jitters, repetition.by_part[reads].baseline
    if reads is Reads.ANSWER and Reads.RETRIEVAL in repetition.exact:
        retrieval = repetition.by_part[Reads.RETRIEVAL]
        jitters, baseline = jitters & ~retrieval.jitters, baseline & ~retrieval.baseline
    notes = []
    if jitters.any():
        ids = comparison.ids_of(jitters)
        notes.append(
            f"the {noun} of {count(len(ids), 'sample')} differs from run to run, as it did not in "
            f"the baseline: {listed(ids)}; tested as noisy"
        )
    if baseline.any():
        ids = comparison.ids_of(baseline)
        tested = "tested as noisy"
        if not repetition.is_kept(reads):
            tested = "so many that every sample is tested as noisy"
        notes.append(
            f"[policy] repeats says that the {noun} repeats, but the baseline's runs differ in "
            f"{count(len(ids), 'sample')}: {listed(ids)}; {tested}"
        )
    return notes


def _unproven(reads: Reads, comparison: Comparison) -> list[str]:
    ids = comparison.ids_of(comparison.repetition.by_part[reads].unproven)
    if not ids:
        return []
    ran = f"{count(len(ids), 'changed sample')} ran fewer than {PROOF} times ({listed(ids)})"
    return [f"{ran}: only [policy] repeats says that their {_NOUN[reads]} repeats"]


def copies_note(passes: Passes, name: str) -> str:
    """Say that runs which repeat another byte for byte are no further evidence."""
    runs, distinct = passes.repeats, len(passes.distinct)
    if distinct == 1:
        return f"all {runs} runs of the {name} are identical: they count as one"
    return f"only {distinct} of {runs} runs of the {name} differ: identical ones count once"


def repeats_hint(cases: Sequence[MetricCase], comparison: Comparison) -> list[str]:
    """Name the key where everything is byte-equal and a gated metric is tested as noisy."""
    repetition = comparison.repetition
    equal = {
        case.info.reads for case in cases if case.gates and repetition.could_be_exact(case.info)
    }
    if not equal:
        return []
    repeats = equal | (repetition.exact & {Reads.RETRIEVAL})
    keys = ", ".join(f'"{noun}"' for reads, noun in _NOUN.items() if reads in repeats)
    evidence = f"all {repetition.passes} baseline runs are identical and count as one"
    key = f"write `repeats = [{keys}]` below [policy], and every change shows"
    return [f"{evidence}: if your system always repeats itself, {key}"]
