"""What a report says of repeating: what did not although it did before, and what is not proven."""

from collections.abc import Collection

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.repeating_samples import PARTS
from ragate.core.comparison.run_passes import Passes
from ragate.core.text.wording import count, listed
from ragate.models import Reads

_NOUN = {Reads.RETRIEVAL: "retrieval", Reads.ANSWER: "answer"}


def repeating_notes(comparison: Comparison) -> list[str]:
    """Return one sentence on each part of which the candidate varies where the baseline did not."""
    repetition, notes = comparison.repetition, []
    for reads in sorted(repetition.exact, reverse=True):
        jitters = repetition.by_part[reads].jitters
        if reads is Reads.ANSWER and Reads.RETRIEVAL in repetition.exact:  # it is named already
            jitters = jitters & ~repetition.by_part[Reads.RETRIEVAL].jitters
        if jitters.any():
            ids = comparison.ids_of(jitters)
            notes.append(
                f"the {_NOUN[reads]} of {count(len(ids), 'sample')} differs from run to run, as it "
                f"did not in the baseline: {listed(ids)}; tested as noisy"
            )
    return notes


def unrepeated_note(comparison: Comparison, parts: Collection[Reads] = PARTS) -> str:
    """Name the questions whose passages, or answers alone, differ between the baseline's runs.

    Args:
        parts: What is looked at.

    Returns:
        "" where there is no other run, or all repeat.
    """
    repetition, told = comparison.repetition, []
    seen = np.zeros(len(comparison.ids), dtype=bool)  # another passage makes another answer
    for reads in PARTS if repetition.passes > 1 else ():
        varies = repetition.by_part[reads].baseline & ~seen
        seen |= varies
        if varies.any() and reads in parts:
            ids = comparison.ids_of(varies)
            told.append(f"the {_NOUN[reads]} of {len(ids)} of {len(seen)} ({listed(ids)})")
    if not told:
        return ""
    return f"did not repeat in the baseline's {repetition.passes} runs: {', '.join(told)}"


def copies_note(passes: Passes, name: str) -> str:
    """Say that runs which repeat another byte for byte are no further evidence."""
    runs, distinct = passes.repeats, len(passes.distinct)
    if distinct == 1:
        return f"all {runs} runs of the {name} are identical: they count as one"
    return f"only {distinct} of {runs} runs of the {name} differ: identical ones count once"
