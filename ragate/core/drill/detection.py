"""The drill: which planted break does the gate catch, from which share on, and why not."""

from collections.abc import Callable, Mapping, Sequence

from ragate.core.drill.planted_breaks import BREAKS, Pair, Planted, plant, touches
from ragate.models import Decision, Direction, Frozen, MetricInfo, MetricRow, Reads, Verdict

SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)
_SLACK = 1e-9
_SHOWN = 3
_NAMES = {Reads.RETRIEVAL: "the retrieved chunks", Reads.ANSWER: "the answer"}


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
    gated = [row for row in readers if row.level == "error"]
    if not gated:
        return _nobody_reads(touched, readers)
    if decision.verdict is Verdict.NO_DECISION:
        return "no decision: " + (decision.reasons[0] if decision.reasons else "nothing measured")
    red = {row.key for row in clean.rows if row.blocks}
    moved = [row for row in gated if _drop(row, clean) > _SLACK]
    if not moved:
        names = ", ".join(row.key for row in gated[:_SHOWN])
        return f"{names} read {_NAMES[touched]}, and this break lowers none of them"
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
    words = f"no error-level metric reads {_NAMES[touched]}"
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
        return f"{words}; only drops of {row.mde:.3f} or more show here"
    return words
