"""The drill: which planted break does the gate catch, from which share on, and why not.

Breaks are planted in stored outputs. Equal outputs get equal breaks: no dice.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import ceil

from ragate.core.hashing import digest, output_hash
from ragate.models import (
    Decision,
    Direction,
    Frozen,
    MetricInfo,
    MetricRow,
    Reads,
    Sample,
    SystemOutput,
    Verdict,
)

Pair = tuple[Sample, SystemOutput]

_NUMBER = re.compile(r"(?<![\w\[])\d+(?:[.,]\d+)*(?![\w\]])")
_NAME = re.compile(r"(?<=[\w,;:)] )[A-Z][\w-]+(?: [A-Z][\w-]+)*")
_NAMES = ("Alder", "Birch", "Cedar", "Hazel", "Juniper", "Linden", "Rowan", "Willow")
_VERBS = r"\b(is|are|was|were|can|could|will|would|must|should|may|has|have|does|do|did)"
_VERB = re.compile(_VERBS + r"\b(?! not\b)")
_NOT = re.compile(_VERBS + r"(?: not|n't)\b")
_YES_NO = {"yes": "No", "no": "Yes"}
_KEPT = 3
_FEWEST_WORDS = 4
SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)
_SLACK = 1e-9
_SHOWN = 3
_PARTS = {Reads.RETRIEVAL: "the retrieved chunks", Reads.ANSWER: "the answer"}


class Planted(Frozen):
    """Outputs with a break in some of them.

    Attributes:
        pairs: Every sample with its output, broken or as it was, in the given order.
        ids: Samples whose output was broken.
        wanted: How many the share asked for; fewer than that could be broken where `ids` is short.
    """

    name: str
    share: float
    pairs: tuple[Pair, ...]
    ids: tuple[str, ...]
    wanted: int


def drop_top_document(doc_ids: Sequence[str]) -> list[int]:
    """Return the ranks, from 0, of the chunks without those of the first document."""
    return [rank for rank, doc_id in enumerate(doc_ids) if doc_id != doc_ids[0]]


def shuffle_ranking(doc_ids: Sequence[str]) -> list[int]:
    """Return the ranks in an order that has nothing to do with the question."""
    return sorted(range(len(doc_ids)), key=lambda rank: digest([*doc_ids, rank]))


def empty_contexts(_doc_ids: Sequence[str]) -> list[int]:
    """Return no rank: the answer stands on nothing."""
    return []


def change_numbers(answer: str) -> str:
    """Make every number another one of the same length; markers [n] stay."""
    return _NUMBER.sub(_other_number, answer)


def change_names(answer: str) -> str:
    """Put another name for each capitalised one inside a sentence."""
    return _NAME.sub(_other_name, answer)


def negate(answer: str) -> str:
    """Turn the answer's first statement into its contrary."""
    yes_or_no = re.match(r"\s*(yes|no)\b", answer, re.IGNORECASE)
    if yes_or_no:
        return _YES_NO[yes_or_no.group(1).lower()] + answer[yes_or_no.end() :]
    if _NOT.search(answer):
        return _NOT.sub(r"\1", answer, count=1)
    if _VERB.search(answer):
        return _VERB.sub(r"\1 not", answer, count=1)
    return f"It is not true that {answer}"


def truncate(answer: str) -> str:
    """Keep the first third of the words."""
    words = answer.split()
    return " ".join(words[: ceil(len(words) / _KEPT)]) if len(words) >= _FEWEST_WORDS else answer


def swap_answers(output: SystemOutput, donors: Iterable[SystemOutput]) -> SystemOutput:
    """Give the answer of another sample, with its citations and tool calls."""
    for donor in donors:
        if donor.answer and donor.answer != output.answer:
            return output.amended(
                answer=donor.answer, citations=donor.citations, tool_calls=donor.tool_calls
            )
    return output


_OF_CHUNKS: dict[str, Callable[[Sequence[str]], list[int]]] = {
    "drop_top_document": drop_top_document,
    "shuffle_ranking": shuffle_ranking,
    "empty_contexts": empty_contexts,
}
_OF_ANSWERS: dict[str, Callable[[str], str]] = {
    "change_numbers": change_numbers,
    "change_names": change_names,
    "negate": negate,
    "truncate": truncate,
}
BREAKS: tuple[str, ...] = (*_OF_CHUNKS, "swap_answers", *_OF_ANSWERS)


def touches(name: str) -> Reads:
    """Return what the break `name` changes; a metric on answers may read the contexts too."""
    return Reads.RETRIEVAL if name in _OF_CHUNKS else Reads.ANSWER


def break_output(
    name: str, output: SystemOutput, donors: Iterable[SystemOutput] = ()
) -> SystemOutput:
    """Return the output with the break `name`, or as it is where that changes nothing.

    The request hash goes, since no request led to a broken output.

    Raises:
        KeyError: there is no such break.
    """
    if name in _OF_CHUNKS:
        broken = _rearranged(output, _OF_CHUNKS[name]([chunk.doc_id for chunk in output.chunks]))
    elif not output.answer:
        broken = output
    elif name == "swap_answers":
        broken = swap_answers(output, donors)
    else:
        broken = output.amended(answer=_OF_ANSWERS[name](output.answer))
    if output_hash(broken) == output_hash(output):
        return output
    return broken.amended(request_hash=None)


def plant(run_outputs: Sequence[Pair], name: str, share: float, seed: int = 0) -> Planted:
    """Break `share` of the outputs.

    Samples are taken in an order that depends on the seed, the break and their ids alone, so a
    larger share breaks the same samples and more. Failed outputs, and those that the break leaves
    as they are (no number to change), are passed over. The request hash of a broken output goes,
    since no request led to it.

    Args:
        run_outputs: One pass over the samples.
        name: A key of `BREAKS`.
        share: Share of all samples, in (0, 1].
        seed: Another order.

    Raises:
        KeyError: there is no such break.
        ValueError: the share is not in (0, 1].
    """
    if not 0 < share <= 1:
        raise ValueError(f"share {share} is not in (0, 1]")
    if name not in BREAKS:
        raise KeyError(name)
    count = ceil(share * len(run_outputs) - 1e-9)
    order = sorted(run_outputs, key=lambda pair: digest([seed, name, pair[0].id]))
    broken: dict[str, SystemOutput] = {}
    for turn, (sample, output) in enumerate(order):
        if len(broken) == count:
            break
        donors = (donor for _, donor in chain(order[turn + 1 :], order[:turn]))
        changed = break_output(name, output, donors) if output.error is None else output
        if changed is not output:
            broken[sample.id] = changed
    return Planted(
        name=name,
        share=share,
        pairs=tuple((sample, broken.get(sample.id, output)) for sample, output in run_outputs),
        ids=tuple(sample.id for sample, _ in run_outputs if sample.id in broken),
        wanted=count,
    )


def _rearranged(output: SystemOutput, ranks: Sequence[int]) -> SystemOutput:
    """Return the chunks at `ranks`; a citation of one that is gone resolves to no chunk (0)."""
    new_numbers = {old + 1: new for new, old in enumerate(ranks, 1)}
    citations = output.citations
    if citations is not None:
        citations = tuple(new_numbers.get(number, 0) for number in citations)
    chunks = tuple(output.chunks[rank] for rank in ranks)
    return output.amended(chunks=chunks, citations=citations)


def _other_number(match: re.Match[str]) -> str:
    """Add 1 to the first digit (9 becomes 1), so that no other number is the same by chance."""
    digit, digits_after = match.group()[0], match.group()[1:]
    return str(int(digit) % 9 + 1) + digits_after


def _other_name(match: re.Match[str]) -> str:
    names = [name for name in _NAMES if name != match.group()]
    return names[int(digest(match.group()), 16) % len(names)]


class DrillRow(Frozen):
    """One break at one share.

    Attributes:
        share: Share of all samples that was asked for.
        planted: Samples whose output was broken.
        caught: True where the gate went red for what it was not red for before.
        by: Metrics that blocked; "must-pass" where such a sample did.
        why_not: Why it stayed unseen, "" where it was caught.
    """

    name: str
    share: float
    planted: int
    caught: bool
    by: tuple[str, ...] = ()
    verdict: Verdict
    why_not: str = ""


class Drill(Frozen):
    """The whole drill.

    Attributes:
        rows: One a break: the smallest share at which it was caught, else the largest tried.
        tries: Every share that was tried.
        samples: Samples in the run.
        clean: Verdict on the outputs without any break.
    """

    rows: tuple[DrillRow, ...]
    tries: tuple[DrillRow, ...]
    samples: int
    clean: Verdict

    @property
    def caught(self) -> int:
        """Number of breaks that were caught at some share."""
        return sum(row.caught for row in self.rows)


def drill(
    run_outputs: Sequence[Pair],
    decide_on: Callable[[Sequence[Pair]], Decision],
    *,
    metrics: Mapping[str, MetricInfo],
    names: Sequence[str] = BREAKS,
    shares: Sequence[float] = SHARES,
    seed: int = 0,
) -> Drill:
    """Plant each break at rising shares until the gate catches it.

    Args:
        run_outputs: One pass over the samples, with full texts.
        decide_on: Scores outputs, compares them with the baseline and decides.
        metrics: What each metric of the rules reads.
        names: Breaks to plant. shares: Shares to try, each in (0, 1].
        seed: Chooses other samples.
    """
    clean = decide_on(run_outputs)
    tries: list[DrillRow] = []
    rows: list[DrillRow] = []
    for name in names:
        row = None
        for share in sorted(shares):
            planted = plant(run_outputs, name, share, seed)
            if row is not None and row.planted == len(planted.ids):
                break
            row = _row(planted, decide_on(planted.pairs) if planted.ids else clean, clean, metrics)
            tries.append(row)
            if row.caught:
                break
        if row is not None:
            rows.append(row)
    return Drill(
        rows=tuple(rows), tries=tuple(tries), samples=len(run_outputs), clean=clean.verdict
    )


def _row(
    planted: Planted, decision: Decision, clean: Decision, metrics: Mapping[str, MetricInfo]
) -> DrillRow:
    by = _blockers(decision, clean)
    caught = decision.verdict is Verdict.FAILED and bool(by)
    return DrillRow(
        name=planted.name,
        share=planted.share,
        planted=len(planted.ids),
        caught=caught,
        by=by if caught else (),
        verdict=decision.verdict,
        why_not="" if caught else _why_not(planted, decision, clean, metrics),
    )


def _blockers(decision: Decision, clean: Decision) -> tuple[str, ...]:
    """Return what is red now and was not without the break."""
    before = {row.key for row in clean.rows if row.blocks}
    blockers = [row.key for row in decision.rows if row.blocks and row.key not in before]
    missed = {(row.sample_id, row.metric) for row in clean.must_pass if not row.met}
    if any(not row.met and (row.sample_id, row.metric) not in missed for row in decision.must_pass):
        blockers.append("must-pass")
    return tuple(blockers)


def _why_not(
    planted: Planted, decision: Decision, clean: Decision, metrics: Mapping[str, MetricInfo]
) -> str:
    if not planted.ids:
        return "no output that this break could change"
    touched = touches(planted.name)
    readers = [
        row for row in decision.rows if _reads(metrics.get(row.rated or row.metric), touched)
    ]
    gated = [row for row in readers if row.gates]
    if not gated:
        return _nobody_reads(touched, readers)
    if decision.verdict is Verdict.NO_DECISION:
        return "no decision: " + (decision.reasons[0] if decision.reasons else "nothing measured")
    red = {row.key for row in clean.rows if row.blocks}
    moved = [row for row in gated if _drop(row, clean) > _SLACK]
    if not moved:
        names = ", ".join(row.key for row in gated[:_SHOWN])
        return f"{names} read {_PARTS[touched]}, and this break lowers none of them"
    worst = max(moved, key=lambda row: _drop(row, clean))
    if worst.key in red:
        return f"{worst.key} was red without the break"
    return _too_small(worst, clean, planted)


def _reads(info: MetricInfo | None, touched: Reads) -> bool:
    """A metric on answers may read the contexts; one on retrieval reads no answer."""
    if info is None or info.reads is Reads.RUN:
        return False
    return info.reads is touched or touched is Reads.RETRIEVAL


def _nobody_reads(touched: Reads, readers: Sequence[MetricRow]) -> str:
    words = f"no error-level metric reads {_PARTS[touched]}"
    if not readers:
        return words
    shown = ", ".join(f"{row.key} is at level {row.level}" for row in readers[:_SHOWN])
    return f"{words}: {shown}"


def _drop(row: MetricRow, clean: Decision) -> float:
    before = {clean_row.key: clean_row.candidate for clean_row in clean.rows}.get(row.key)
    if before is None or row.candidate is None:
        return 0.0
    fall = before - row.candidate
    return -fall if row.direction is Direction.LOWER else fall


def _too_small(row: MetricRow, clean: Decision, planted: Planted) -> str:
    """Say how far the metric fell and how far it would have had to fall."""
    count = len(planted.ids)
    words = f"{row.key} fell by {_drop(row, clean):.3f} with {count} samples broken"
    if count < planted.wanted:
        words += f" ({planted.wanted} wanted, the others have nothing to break)"
    if row.limit is not None:
        return f"{words}; {row.limit:.3f} is allowed"
    if row.mde is not None:
        return f"{words}; a drop of {row.mde:.3f} is missed in one of five runs"
    return words
