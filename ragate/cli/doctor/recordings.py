"""Recorded outputs: whether they answer the golden set."""

from collections.abc import Mapping, Sequence

from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.core.text.listed_names import listed
from ragate.models import Sample, SystemOutput

CHECK = "recordings"


def recordings(
    samples: Sequence[Sample],
    outputs: Mapping[str, SystemOutput],
    *,
    files: int,
    runs: int,
    max_unscored: float,
) -> list[Finding]:
    """Say how much of the golden set is recorded.

    Args:
        outputs: The first recorded output by sample id; what was not recorded is absent.
    """
    lost = [sample.id for sample in samples if sample.id not in outputs]
    counts = (
        f"{plural(files, 'file')}, {plural(runs, 'run')}, {len(samples) - len(lost)} of "
        f"{plural(len(samples), 'sample')}"
    )
    if len(lost) > max_unscored * len(samples) + 1e-9:
        return [
            problem(
                CHECK,
                f"{counts}; nothing is recorded for {listed(lost)}: more than [policy] "
                f"max_unscored = {max_unscored:g}",
                "record them: a line has the `id` or the very `question` of its sample",
                exit_code=3,
            )
        ]
    findings = [ok(CHECK, counts)]
    if lost:
        findings.append(
            warning(CHECK, f"nothing is recorded for {listed(lost)}", "record them too")
        )
    return findings
