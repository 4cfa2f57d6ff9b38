"""What a report says of repeating: what did not although it should, and what seems to."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.repeating_samples import PROOF, PartRepetition
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.wording import count
from ragate.core.text.listed_names import listed
from ragate.models import Reads

_NOUN = {Reads.RETRIEVAL: "retrieval", Reads.ANSWER: "answer"}


def repeating_notes(cases: Sequence[MetricCase], comparison: Comparison) -> list[str]:
    """Return what a reader should know about repeating, one sentence each."""
    repetition = comparison.repetition
    said = []
    for reads in sorted(repetition.exact, reverse=True):
        part = repetition.by_part[reads]
        beyond = repetition.by_part.get(Reads.RETRIEVAL) if reads is Reads.ANSWER else None
        said += _broken(
            _NOUN[reads], part, comparison, is_kept=repetition.is_kept(reads), but=beyond
        )
        if reads in repetition.policy:
            said += _unproven(_NOUN[reads], part, comparison)
    return said + _hint(cases, comparison)


def _broken(
    noun: str,
    part: PartRepetition,
    comparison: Comparison,
    *,
    is_kept: bool,
    but: PartRepetition | None,
) -> list[str]:
    """Name the samples that vary.

    Args:
        is_kept: The baseline bears the declaration out.
        but: What has been named already: an answer holds what was retrieved for it.
    """
    jitters, baseline = part.jitters, part.baseline
    if but is not None and Reads.RETRIEVAL in comparison.repetition.exact:
        jitters, baseline = jitters & ~but.jitters, baseline & ~but.baseline
    said = []
    if jitters.any():
        ids = comparison.ids_of(jitters)
        said.append(
            f"the candidate no longer repeats its {noun}: {count(len(ids), 'sample')} that repeated"
            f" in the baseline vary: {listed(ids)}; tested as noisy"
        )
    if baseline.any():
        ids = comparison.ids_of(baseline)
        kept = "tested as noisy" if is_kept else "so many that all of it is tested as noisy"
        said.append(
            f"the {noun} is declared to repeat, and {count(len(ids), 'sample')} vary between the "
            f"baseline's runs: {listed(ids)}; {kept}"
        )
    return said


def _unproven(noun: str, part: PartRepetition, comparison: Comparison) -> list[str]:
    if not part.unproven.any():
        return []
    ids = comparison.ids_of(part.unproven)
    few = f"{count(len(ids), 'changed sample')} ran fewer than {PROOF} times ({listed(ids)})"
    return [f"{few}: that the {noun} repeats in the candidate is taken from [policy] repeats"]


def _hint(cases: Sequence[MetricCase], comparison: Comparison) -> list[str]:
    """Name the key where everything is byte-equal and a gated metric is tested as noisy."""
    repetition = comparison.repetition
    parts = {
        case.info.reads for case in cases if case.gates and repetition.could_be_exact(case.info)
    }
    if not parts:
        return []
    every = parts | (repetition.exact & {Reads.RETRIEVAL})
    keys = ", ".join(f'"{noun}"' for part, noun in _NOUN.items() if part in every)
    equal = f"all {repetition.passes} baseline runs are byte-equal"
    key = f"`[policy] repeats = [{keys}]` would make every change count"
    return [f"{equal}: it looks as if your system repeats itself: {key}"]
