"""What is said of passes that earlier runs of the same commit made."""

from collections.abc import Sequence

from ragate.core.rules.wording import count, odds
from ragate.core.text.listed_names import listed
from ragate.models import Decision, EarlierPasses, EarlierRun, MetricRow, Run, Verdict

_LENGTH = len("2026-11-22T10:15")


def dated(runs: Sequence[EarlierRun]) -> str:
    """Return ``2 runs of this commit (2026-11-20 09:14, 2026-11-21 10:00 UTC; 4 passes)``."""
    times = listed([_minute(run.created) for run in runs], most=3)
    passes = sum(run.passes for run in runs)
    number = f"{passes:,} pass" if passes == 1 else f"{passes:,} passes"
    return f"{count(len(runs), 'run')} of this commit ({times} UTC; {number})"


def _minute(created: str) -> str:
    return created[:_LENGTH].replace("T", " ") or "undated"


def note_of(earlier: EarlierPasses) -> str:
    """Say what the earlier passes are good for."""
    runs = dated(earlier.runs)
    if earlier.use == "counted":
        return f"{runs} count as well: all that the system reads is proven to be the same"
    if earlier.use == "differ":
        p = earlier.p_differ
        rare = f", as an unchanged one does {odds(p)}" if p else ""
        return (
            f"{runs} do not count: the system answers differently now{rare}, so what it reads "
            "outside git may have changed"
        )
    if earlier.use == "agree":
        return f"{runs} were tested with the newest: together they prove no regression either"
    if earlier.use == "confirm":
        return f"{runs} confirm the newest: alone it is suspicious, together they are red"
    return f"{runs} are only shown: what the system reads outside git may have changed since"


def new_draw(decision: Decision, earlier: EarlierPasses) -> tuple[str, ...]:
    """Return that a verdict which is no longer red comes from new passes."""
    failed = [run for run in earlier.runs if run.failed]
    if not failed or decision.verdict is Verdict.FAILED:
        return ()
    last = _minute(failed[-1].created)
    red = f"{count(len(failed), 'earlier run')} of this commit failed ({last} UTC)"
    if earlier.use == "counted":
        return (f"{red}: over all runs together the drop is not proven",)
    return (f"{red}: this verdict is of new answers, from a system that may have changed",)


def pooled_reason(reason: str, row: MetricRow, run: Run) -> str:
    """Say why a metric is red that is only suspicious in the newest run."""
    alone = "alone it is suspicious" if row.p is None else f"alone: {odds(row.p)}"
    earlier = dated(run.manifest.earlier)
    return f"{reason}; over all passes with those of {earlier}; the newest {alone}"
