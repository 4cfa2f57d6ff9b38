"""What a report says of repeating: what did not although it did before, and what is not proven."""

from ragate.core.comparison.compare import Comparison
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


def copies_note(passes: Passes, name: str) -> str:
    """Say that runs which repeat another byte for byte are no further evidence."""
    runs, distinct = passes.repeats, len(passes.distinct)
    if distinct == 1:
        return f"all {runs} runs of the {name} are identical: they count as one"
    return f"only {distinct} of {runs} runs of the {name} differ: identical ones count once"
