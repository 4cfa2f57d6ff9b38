"""What a report says of repeating: what did not although it should, and what seems to."""

from collections.abc import Sequence

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.repeating_samples import FEWEST, RECORDINGS, UNPROVEN
from ragate.core.comparison.run_passes import Passes
from ragate.core.rules.metric_case import MetricCase
from ragate.core.text.wording import count, listed
from ragate.models import Reads

SIGNS_ALONE = "only a loss that random signs do not explain, of 5 questions or more, is red"
_NOUN = {Reads.RETRIEVAL: "retrieval", Reads.ANSWER: "answer"}


def repeating_notes(comparison: Comparison) -> list[str]:
    """Return what a reader should know about repeating, one sentence each."""
    repetition = comparison.repetition
    notes = []
    for reads in sorted(repetition.exact, reverse=True):
        notes += _broken(reads, comparison)
        if reads in repetition.policy:
            notes += _provisional(reads, comparison)
    return notes


def _broken(reads: Reads, comparison: Comparison) -> list[str]:
    """Name the samples that vary; an answer holds what was retrieved for it, named already."""
    repetition, noun = comparison.repetition, _NOUN[reads]
    jitters, baseline = repetition.by_part[reads].jitters, repetition.by_part[reads].baseline
    if reads is Reads.ANSWER and Reads.RETRIEVAL in repetition.exact:
        retrieval = repetition.by_part[Reads.RETRIEVAL]
        jitters, baseline = jitters & ~retrieval.jitters, baseline & ~retrieval.baseline
    tested = "tested as noisy"
    if not repetition.is_kept(reads):
        why = "recorded, so" if repetition.recordings else "so many that"
        tested = f"{why} every sample is tested as noisy"
    notes = []
    if jitters.any():
        ids = comparison.ids_of(jitters)
        notes.append(
            f"the {noun} of {count(len(ids), 'sample')} differs from run to run, as it did not in "
            f"the baseline: {listed(ids)}; {tested}"
        )
    if baseline.any():
        ids = comparison.ids_of(baseline)
        notes.append(
            f"[policy] repeats says that the {noun} repeats, but the baseline's runs differ in "
            f"{count(len(ids), 'sample')}: {listed(ids)}; {tested}"
        )
    return notes


def _provisional(reads: Reads, comparison: Comparison) -> list[str]:
    """Say that single losses are not red, and why, where something changed."""
    repetition, part = comparison.repetition, comparison.repetition.by_part[reads]
    doubt = repetition.doubt(reads)
    if repetition.passes > 1 and not repetition.is_kept(reads) and not part.varies.any():
        few = f"recorded, and fewer than {FEWEST} questions or clusters: all are tested as noisy"
        return [f"[policy] repeats does not count for the {_NOUN[reads]}: {few}"]
    if doubt and part.changed.any() and repetition.is_kept(reads):
        return [f"that the {_NOUN[reads]} repeats is provisional: {doubt}; {SIGNS_ALONE}"]
    if doubt or not part.unproven.any():
        return []
    ids = comparison.ids_of(part.unproven)
    held = f"the {_NOUN[reads]} of {count(len(ids), 'sample')} is provisional: {UNPROVEN}"
    return [f"{held}: {listed(ids)}; of what rests on them {SIGNS_ALONE}"]


def copies_note(passes: Passes, name: str) -> str:
    """Say that runs which repeat another byte for byte are no further evidence."""
    runs, distinct = passes.repeats, len(passes.distinct)
    if distinct == 1:
        return f"all {runs} runs of the {name} are identical: they count as one"
    return f"only {distinct} of {runs} runs of the {name} differ: identical ones count once"


def repeats_hint(cases: Sequence[MetricCase], comparison: Comparison) -> list[str]:
    """Name the key where everything is byte-equal and a gated metric is tested as noisy."""
    parts, repetition = repeating_parts(cases, comparison), comparison.repetition
    if not parts:
        return []
    if repetition.unseen:
        evidence = f"all {repetition.passes} baseline runs are identical and count as one"
        key = "`ragate baseline update --repeats` shows whether your system always repeats itself"
    else:
        evidence = f"{repetition.passes} sessions of their own gave identical baseline runs"
        key = f"write `{repeats_line(parts)}` below [policy], and every change shows"
    return [f"{evidence}: {key}"]


def repeating_parts(cases: Sequence[MetricCase], comparison: Comparison) -> list[str]:
    """Return what ``[policy] repeats`` would have to say for gated metrics to show every change."""
    repetition = comparison.repetition
    equal = {
        case.info.reads for case in cases if case.gates and repetition.could_be_exact(case.info)
    }
    repeats = equal | (repetition.exact & {Reads.RETRIEVAL}) if equal else equal
    return [noun for reads, noun in _NOUN.items() if reads in repeats]


def not_repeating(comparison: Comparison) -> str:
    """Return why nothing, or nothing more, is shown to repeat."""
    repetition, part = comparison.repetition, comparison.repetition.by_part[Reads.ANSWER]
    if repetition.unseen or repetition.recordings:
        return repetition.unseen or RECORDINGS
    if part.varies.any():
        ids = comparison.ids_of(part.varies)
        return f"outputs differ between sessions in {count(len(ids), 'sample')}: {listed(ids)}"
    return f"no gated metric would gain by it, or there are fewer than {FEWEST} questions"


def repeats_line(parts: Sequence[str]) -> str:
    """Return the line of the policy."""
    names = ", ".join(f'"{part}"' for part in parts)
    return f"repeats = [{names}]"
